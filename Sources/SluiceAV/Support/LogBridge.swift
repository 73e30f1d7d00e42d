internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// Carries the log lines of the FFmpeg libraries into a ``Logger``.
///
/// libavutil has one log callback a process, so the last installation counts. Lines are cut at 1 KiB; past
/// `linesPerSecond` they are counted instead, and the next second begins with the count.
public enum LogBridge {
    private struct State {
        var logger = Logger.silent
        var limit = LineBudget(linesPerSecond: 0)
        var clock: any TimeSource = SystemTimeSource()
    }

    private static let state = Locked(State())

    /// Routes lines to `logger`, replacing an earlier installation. Any thread.
    ///
    /// What libav calls an error is usually one damaged packet, so its levels come out one lower: fatal as `error`,
    /// error as `warning`, warning as `info`, the rest as `debug`.
    public static func install(
        _ logger: Logger, linesPerSecond: Int = 20, clock: any TimeSource = SystemTimeSource()
    ) {
        state.withLock {
            $0 = State(logger: logger, limit: LineBudget(linesPerSecond: max(1, linesPerSecond)), clock: clock)
        }
        let gravest: Int32 =
            switch logger.threshold {
            case .debug: AV_LOG_VERBOSE
            case .info: AV_LOG_WARNING
            case .warning: AV_LOG_ERROR
            case .error: AV_LOG_FATAL
            }
        shim_log_install({ level, source, line in LogBridge.receive(level, source, line) }, gravest)
    }

    /// Discards everything from here on. Any thread.
    public static func silence() {
        state.withLock { $0 = State() }
        shim_log_install({ _, _, _ in }, AV_LOG_QUIET)
    }

    /// The level under which a libav level is reported.
    static func level(_ level: Int32) -> LogLevel {
        switch level {
        case ...AV_LOG_FATAL: .error
        case ...AV_LOG_ERROR: .warning
        case ...AV_LOG_WARNING: .info
        default: .debug
        }
    }

    /// Logs a line as the libraries do, for the bridge's own checks.
    static func emit(_ level: Int32, _ line: String) { shim_log(level, line) }

    private static func receive(_ level: Int32, _ source: UnsafePointer<CChar>?, _ line: UnsafePointer<CChar>?) {
        guard let line else { return }
        let admitted = state.withLock { state -> (Logger, LineBudget.Verdict) in
            (state.logger, state.limit.admit(at: state.clock.now))
        }
        guard case .pass(let suppressed) = admitted.1 else { return }
        let logger = admitted.0
        if suppressed > 0 { logger.warning("libav: \(suppressed) lines left out") }
        var text = String(cString: line)
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { return }
        let origin = source.map { String(cString: $0) } ?? ""
        logger.log(Self.level(level), origin.isEmpty ? text : "\(origin): \(text)")
    }
}
