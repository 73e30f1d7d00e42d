internal import CMediaShim
import Glibc
public import Sluice
public import SluiceCore

/// Serves a responder over HTTP/1.1 on sockets of its own.
///
/// A request that waits for its answer holds no thread. When its client closes, the task that works for it is cancelled.
public final class MicrohttpdServer: Sendable {
    public struct Statistics: Sendable, Hashable {
        /// Exchanges that have begun and not ended.
        public var inFlight: Int
        /// Of these, the ones that wait for the responder.
        public var waiting: Int
        /// Clients that closed before their answer was there, since the start.
        public var clientsGone: Int
        /// Requests that were answered with 503 at the deadline, since the start.
        public var expired: Int
    }

    private struct Daemon {
        let handle: OpaquePointer
        let listener: Int32
    }

    /// The port it listens on.
    public let port: UInt16
    public let options: ServerOptions
    private let core: ServerCore
    private let time: any TimeSource
    private let daemon: Locked<Daemon?>

    /// Starts to serve.
    ///
    /// Throws `.invalidOption` for an address that cannot be bound, `.exhausted` where descriptors or threads ran out.
    public init(
        options: ServerOptions = ServerOptions(), responder: any RequestResponder, log: Logger = .silent,
        time: any TimeSource = SystemTimeSource()
    ) throws(NodeFailure) {
        let listener = sluice_mhd_listen(options.address, options.port, 1024)
        guard listener >= 0 else {
            throw NodeFailure(
                .invalidOption,
                "cannot listen on \(options.address) port \(options.port): \(String(cString: strerror(-listener)))")
        }
        let core: ServerCore
        do throws(NodeFailure) {
            let table = try PendingTable(deadline: options.responseDeadline, time: time)
            core = ServerCore(responder: responder, options: options, table: table, log: log)
        } catch {
            close(listener)
            throw error
        }
        var limits = sluice_mhd_limits(
            listener: listener,
            threads: UInt32(clamping: max(1, min(options.threads, 64))),
            connections: UInt32(clamping: max(1, options.connections)),
            connections_per_address: UInt32(clamping: max(0, options.connectionsPerAddress)),
            idle_seconds: UInt32(clamping: max(1, options.idleTimeout.components.seconds)),
            memory_per_connection: max(4096, options.headerBytes))
        var callbacks = Self.callbacks(Unmanaged.passUnretained(core).toOpaque())
        guard let handle = sluice_mhd_start(&limits, &callbacks) else {
            core.table.finish()
            close(listener)
            throw NodeFailure(.exhausted, "libmicrohttpd did not start with \(limits.threads) threads")
        }
        self.port = sluice_mhd_port(listener)
        self.options = options
        self.core = core
        self.time = time
        self.daemon = Locked(Daemon(handle: handle, listener: listener))
    }

    deinit {
        if let daemon = daemon.withLock({ $0.take() }) {
            quiesce(daemon)
            shutDown(daemon)
        }
    }

    public var statistics: Statistics {
        let counts = core.table.counts
        return Statistics(
            inFlight: core.inFlight.withLock { $0 }, waiting: counts.waiting, clientsGone: counts.clientsGone,
            expired: counts.expired)
    }

    /// Stops: no new connections, 503 for everything that waits, up to `grace` for answers under way to be sent.
    ///
    /// Returns when all threads have ended. Later calls return at once.
    public func stop(grace: Duration = .seconds(2)) async {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        quiesce(daemon)
        let end = time.now.advanced(by: grace)
        while core.inFlight.withLock({ $0 }) > 0, time.now < end {
            do { try await time.sleep(until: time.now.advanced(by: .milliseconds(5))) } catch { break }
        }
        shutDown(daemon)
    }

    private func quiesce(_ daemon: Daemon) {
        core.isStopping.withLock { $0 = true }
        _ = sluice_mhd_quiesce(daemon.handle)
        core.table.refuse(with: ServerCore.stopping)
    }

    /// Waits for the daemon's threads, which never wait for anything but sockets.
    private func shutDown(_ daemon: Daemon) {
        sluice_mhd_stop(daemon.handle)
        core.table.finish()
        close(daemon.listener)
    }
}

extension MicrohttpdServer {
    /// The callbacks borrow the core, which outlives the daemon; an exchange is owned by the library between begin and end.
    private static func callbacks(_ core: UnsafeMutableRawPointer) -> sluice_mhd_callbacks {
        sluice_mhd_callbacks(
            context: core,
            begin: { context, target in
                guard let context else { return nil }
                let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
                return Unmanaged.passRetained(core.begin(target: target.flatMap { String(validatingCString: $0) }))
                    .toOpaque()
            },
            handle: { context, exchange, connection, method, body, size in
                guard let context, let exchange, let connection, let method, let size else { return 0 }
                let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
                let bytes = UnsafeRawBufferPointer(start: body, count: body == nil ? 0 : size.pointee)
                let goesOn = core.handle(
                    Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue(), connection,
                    method: String(cString: method), body: bytes)
                size.pointee = 0
                return goesOn ? 1 : 0
            },
            end: { context, exchange in
                guard let context, let exchange else { return }
                Unmanaged<Exchange>.fromOpaque(exchange).release()
                Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().end()
            },
            log: { context, message in
                guard let context, let message else { return }
                let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
                core.log.debug(String(cString: message))
            })
    }
}
