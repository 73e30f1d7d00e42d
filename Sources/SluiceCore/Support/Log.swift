/// Severity of a log line, least first.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// One line a state change; anything that happens per item is a counter instead.
public struct Logger: Sendable {
    public typealias Sink = @Sendable (LogLevel, _ category: String, _ message: String) -> Void

    public var category: String
    public var threshold: LogLevel
    private let sink: Sink

    public init(category: String, threshold: LogLevel = .info, sink: @escaping Sink) {
        self.category = category
        self.threshold = threshold
        self.sink = sink
    }

    /// Discards everything; the default of tests and of embedding hosts.
    public static let silent = Logger(category: "", threshold: .error) { _, _, _ in }

    public func scoped(_ category: String) -> Logger {
        Logger(category: category, threshold: threshold, sink: sink)
    }

    public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level >= threshold { sink(level, category, message()) }
    }
    public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }
    public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
    public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
}
