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
        /// Connections that are open.
        public var connections: Int
        /// Connections that were cut off because their client was too slow, since the start.
        public var slowClients: Int
    }

    /// The port it listens on.
    public let port: UInt16
    public let options: ServerOptions
    private let core: ServerCore
    private let time: any TimeSource
    private let daemon: Locked<OpaquePointer?>

    /// Starts to serve.
    ///
    /// Throws `.invalidOption` for an address that cannot be bound, `.exhausted` where descriptors or threads ran out.
    public init(
        options: ServerOptions = ServerOptions(), responder: any RequestResponder, log: Logger = .silent,
        time: any TimeSource = SystemTimeSource()
    ) throws(NodeFailure) {
        guard (options.certificate == nil) == (options.privateKey == nil) else {
            throw NodeFailure(
                .invalidOption, "a certificate and its private key belong together; one of them is missing")
        }
        if options.certificate != nil, sluice_mhd_has_tls() == 0 {
            throw NodeFailure(.unsupported, "this libmicrohttpd was built without TLS")
        }
        let listener = sluice_mhd_listen(options.address, options.port, 1024)
        guard listener >= 0 else {
            throw NodeFailure(
                .invalidOption,
                "cannot listen on \(options.address) port \(options.port): \(String(cString: strerror(-listener)))")
        }
        let core: ServerCore
        do throws(NodeFailure) {
            let table = try PendingTable(deadline: options.responseDeadline, time: time)
            let connections = ConnectionTable(
                limits: SlownessRule(grace: options.requestTimeout, slowestRate: options.slowestRate), time: time)
            core = ServerCore(
                responder: responder, options: options, table: table, connections: connections, log: log)
        } catch {
            close(listener)
            throw error
        }
        core.connections.start()
        let handle = Self.start(core, listener: listener)
        guard let handle else {
            core.table.finish()
            core.connections.stop()
            close(listener)
            let isSecure = options.certificate != nil
            throw NodeFailure(
                isSecure ? .invalidOption : .exhausted,
                isSecure
                    ? "libmicrohttpd did not start with this certificate and key"
                    : "libmicrohttpd did not start with \(options.threads) threads")
        }
        self.port = sluice_mhd_port(listener)
        self.options = options
        self.core = core
        self.time = time
        self.daemon = Locked(handle)
    }

    private static func start(_ core: ServerCore, listener: Int32) -> OpaquePointer? {
        let options = core.options
        var limits = sluice_mhd_limits(
            listener: listener,
            threads: UInt32(clamping: max(1, min(options.threads, 64))),
            connections: UInt32(clamping: max(1, options.connections)),
            connections_per_address: UInt32(clamping: max(0, options.connectionsPerAddress)),
            idle_seconds: UInt32(clamping: max(1, options.idleTimeout.components.seconds)),
            memory_per_connection: options.connectionBytes, certificate: nil, key: nil)
        var callbacks = Self.callbacks(Unmanaged.passUnretained(core).toOpaque())
        guard let certificate = options.certificate, let key = options.privateKey else {
            return sluice_mhd_start(&limits, &callbacks)
        }
        return certificate.withCString { certificate in
            key.withCString { key in
                limits.certificate = certificate
                limits.key = key
                return sluice_mhd_start(&limits, &callbacks)
            }
        }
    }

    deinit {
        if let daemon = daemon.withLock({ $0.take() }) {
            quiesce()
            shutDown(daemon)
        }
    }

    public var statistics: Statistics {
        let counts = core.table.counts
        return Statistics(
            inFlight: core.inFlight.withLock { $0 }, waiting: counts.waiting, clientsGone: counts.clientsGone,
            expired: counts.expired, connections: core.connections.count, slowClients: core.connections.cutOff)
    }

    /// Stops: no new connections, 503 for everything that waits, up to `grace` for answers under way to be sent.
    ///
    /// Returns when all threads have ended. Later calls return at once.
    public func stop(grace: Duration = .seconds(2)) async {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        quiesce()
        let (core, time) = (core, time)
        let end = time.now.advanced(by: grace)
        // A task of its own: whoever stops the server is often being cancelled, and answers get their grace all the same.
        await Task.detached {
            while core.inFlight.withLock({ $0 }) > 0, time.now < end {
                do { try await time.sleep(until: time.now.advanced(by: .milliseconds(5))) } catch { break }
            }
        }.value
        shutDown(daemon)
    }

    /// From here on new clients are turned away, and answers close their connections.
    private func quiesce() {
        core.isStopping.withLock { $0 = true }
        core.table.refuse(with: ServerCore.stopping)
    }

    /// Waits for the daemon's threads, which never wait for anything but sockets.
    private func shutDown(_ daemon: OpaquePointer) {
        core.connections.stop()
        sluice_mhd_stop(daemon)
        core.table.finish()
    }
}

extension MicrohttpdServer {
    /// The callbacks borrow the core, which outlives the daemon; an exchange is owned by the library between begin and end.
    private static func callbacks(_ core: UnsafeMutableRawPointer) -> sluice_mhd_callbacks {
        sluice_mhd_callbacks(
            context: core,
            accepts: { context in
                guard let context else { return 0 }
                return Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().isStopping.withLock {
                    $0 ? 0 : 1
                }
            },
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
                let ended = Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue()
                Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().end(ended)
            },
            connected: { context, socket in
                guard let context else { return }
                Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().connections.open(socket)
            },
            disconnected: { context, socket in
                guard let context else { return }
                Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().connections.close(socket)
            },
            log: { context, message in
                guard let context, let message else { return }
                let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
                core.log.debug(String(cString: message))
            })
    }
}
