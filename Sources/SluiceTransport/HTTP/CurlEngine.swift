internal import CCurl
internal import CMediaShim
import SluiceCore

/// What the network thread does; made on it, used on it, gone with it.
final class CurlEngine {
    private let loop: CurlLoop
    private let clock: any TimeSource
    private let multi: UnsafeMutableRawPointer
    private var active: [TransferID: CurlTransfer] = [:]
    private var waiting: [CurlTransfer] = []
    private var budgets: [String: RequestBudget] = [:]
    /// When the next watchdog can fire at the earliest.
    private var nextScan: ContinuousClock.Instant
    private var idleSince: ContinuousClock.Instant

    /// A transfer waits this long for a slot of its origin, then goes without (behaviours RD-20).
    private static let budgetPatience = Duration.seconds(10)
    /// Nothing waits longer than this for one of the process's places.
    private static let placePatience = Duration.seconds(60)
    /// Connections kept for reuse, and origins whose budget is remembered.
    private static let keptConnections = 32
    private static let keptBudgets = 256

    /// The thread's whole life.
    static func run(for loop: CurlLoop) {
        repeat {
            guard let multi = curl_multi_init() else {
                orphan(loop, "no memory for libcurl")
                continue
            }
            sluice_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, keptConnections)
            loop.shared.withLock { $0.multi = multi }
            let engine = CurlEngine(loop, multi)
            while engine.turn() {}
            engine.endAll()
            curl_multi_cleanup(multi)
        } while !hasEnded(loop)
        loop.shared.signal()
    }

    /// A command may have come while the last connections were closed; then there is another life.
    private static func hasEnded(_ loop: CurlLoop) -> Bool {
        let isStopping = loop.shared.withLock { $0.isStopping }
        if isStopping { orphan(loop, "the network thread is stopping") }
        return loop.shared.withLock { shared in
            guard shared.commands.isEmpty else { return false }
            shared.isRunning = false
            return true
        }
    }

    private static func orphan(_ loop: CurlLoop, _ why: String) {
        let commands = loop.shared.withLock { shared in
            defer { shared.commands.removeAll() }
            return shared.commands
        }
        for case .start(let order) in commands {
            order.receiver?.transfer(order.id, ended: .failed(.exhausted(why)))
        }
    }

    private init(_ loop: CurlLoop, _ multi: UnsafeMutableRawPointer) {
        self.loop = loop
        self.multi = multi
        clock = loop.clock
        nextScan = loop.clock.now
        idleSince = nextScan
    }

    /// One round; false when the thread should end.
    private func turn() -> Bool {
        obeyCommands()
        startWaiting()
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        collectFinished()
        watch()

        let now = clock.now
        if active.isEmpty, waiting.isEmpty {
            if mayEnd(now) { return false }
        } else {
            idleSince = now
        }
        loop.shared.withLock {
            $0.activeCount = active.count
            $0.waitingCount = waiting.count
        }
        curl_multi_poll(multi, nil, 0, pollTimeout(now), nil)
        return true
    }

    /// Ends only with no command left, decided under the lock that takes commands.
    private func mayEnd(_ now: ContinuousClock.Instant) -> Bool {
        let isLate = idleSince.duration(to: now) >= loop.idleTimeout
        return loop.shared.withLock { shared in
            guard shared.isStopping || (isLate && shared.commands.isEmpty) else { return false }
            shared.multi = nil
            shared.activeCount = 0
            shared.waitingCount = 0
            return true
        }
    }

    private func obeyCommands() {
        let (commands, isStopping) = loop.shared.withLock { shared in
            defer { shared.commands.removeAll(keepingCapacity: true) }
            return (shared.commands, shared.isStopping)
        }
        for command in commands {
            switch command {
            case .start(let order): waiting.append(CurlTransfer(order, clock: clock))
            case .resume(let id):
                guard let transfer = active[id] else { continue }
                let result = transfer.unpause()
                nextScan = min(nextScan, transfer.lastByte + transfer.request.silenceTimeout)
                if result != CURLE_OK { finish(transfer, result) }
            case .cancel(let id):
                waiting.removeAll { $0.id == id }
                if let transfer = active[id] { remove(transfer) }
            }
        }
        if isStopping { endAll() }
    }

    private func startWaiting() {
        guard !waiting.isEmpty else { return }
        let now = clock.now
        var kept: [CurlTransfer] = []
        for transfer in waiting {
            let waited = transfer.notBefore.duration(to: now)
            if waited < .zero {
                kept.append(transfer)
            } else if active.count >= CurlLoop.maximumActive {
                if waited < Self.placePatience {
                    kept.append(transfer)
                } else {
                    transfer.receiver?.transfer(
                        transfer.id, ended: .failed(.exhausted("\(active.count) transfers are running already")))
                }
            } else if takeSlot(transfer, waited) {
                start(transfer)
            } else {
                kept.append(transfer)
            }
        }
        waiting = kept
    }

    private func takeSlot(_ transfer: CurlTransfer, _ waited: Duration) -> Bool {
        var budget = budgets[transfer.origin] ?? RequestBudget()
        budget.declaredLimit = transfer.request.originLimit ?? budget.declaredLimit
        var granted = budget.tryAcquire()
        if !granted, waited >= Self.budgetPatience {
            budget.proceedUngranted()
            granted = true
        }
        if budgets.count >= Self.keptBudgets, budgets[transfer.origin] == nil {
            budgets = budgets.filter { $0.value.inFlight > 0 }
        }
        budgets[transfer.origin] = budget
        return granted
    }

    private func start(_ transfer: CurlTransfer) {
        active[transfer.id] = transfer
        guard let easy = transfer.prepare(), curl_multi_add_handle(multi, easy) == CURLM_OK else {
            transfer.verdict = .failed(.exhausted("libcurl could not set up a transfer"))
            finish(transfer, CURLE_FAILED_INIT)
            return
        }
        nextScan = min(nextScan, transfer.lastByte + transfer.request.silenceTimeout)
    }

    private func collectFinished() {
        var result = CURLE_OK
        while let easy = sluice_curl_multi_next_done(multi, &result) {
            guard let user = sluice_curl_private(easy) else { continue }
            finish(Unmanaged<CurlTransfer>.fromOpaque(user).takeUnretainedValue(), result)
        }
    }

    private func finish(_ transfer: CurlTransfer, _ result: CURLcode) {
        remove(transfer)
        let end: TransferEnd
        if result == CURLE_OK {
            end = .complete
        } else if let verdict = transfer.verdict {
            end = verdict
        } else {
            end = .failed(Self.fault(result))
        }
        transfer.receiver?.transfer(transfer.id, ended: end)
    }

    private func remove(_ transfer: CurlTransfer) {
        guard active.removeValue(forKey: transfer.id) != nil else { return }
        if let easy = transfer.easy { curl_multi_remove_handle(multi, easy) }
        budgets[transfer.origin]?.release()
        if RetryLadder.isRateLimit(status: transfer.head.status) { budgets[transfer.origin]?.refused() }
    }

    /// Tells every receiver; empty already when the thread ends for idleness.
    private func endAll() {
        let all = waiting + Array(active.values)
        waiting.removeAll()
        for transfer in all {
            remove(transfer)
            transfer.receiver?.transfer(transfer.id, ended: .failed(.exhausted("the network thread is stopping")))
        }
    }

    /// Ends silent transfers, parks long-paused ones, drops those whose receiver is gone.
    private func watch() {
        let now = clock.now
        guard now >= nextScan else { return }
        var next = now + .seconds(3600)
        for transfer in Array(active.values) {
            let limit: ContinuousClock.Instant
            let verdict: TransferEnd
            if let paused = transfer.pausedSince {
                guard transfer.mayPark else { continue }
                limit = paused + transfer.request.parkAfter
                verdict = .parked
            } else {
                limit = transfer.lastByte + transfer.request.silenceTimeout
                verdict = .failed(.silence(transfer.request.silenceTimeout))
            }
            if now >= limit {
                transfer.verdict = verdict
                finish(transfer, CURLE_ABORTED_BY_CALLBACK)
            } else {
                next = min(next, limit)
            }
        }
        // A pause begins without a scan being asked for; look again before the shortest parking time is over.
        nextScan = min(next, now + .seconds(active.isEmpty ? 3600 : 5))
    }

    private func pollTimeout(_ now: ContinuousClock.Instant) -> Int32 {
        var until = active.isEmpty ? idleSince + loop.idleTimeout : nextScan
        for transfer in waiting {
            // A due transfer waits for a slot; slots also come back without anything happening on a socket.
            until = min(until, max(transfer.notBefore, now + .milliseconds(50)))
        }
        let milliseconds = now.duration(to: until).nanoseconds / 1_000_000
        return Int32(clamping: min(max(milliseconds + 1, 0), 60_000))
    }

    private static func fault(_ result: CURLcode) -> TransferFault {
        let text = curl_easy_strerror(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
        switch result {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY:
            return .untrusted(text)
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: return .exhausted(text)
        default: return .connection(text)
        }
    }
}
