public import SluiceCore

/// One line on a terminal that is rewritten in place, at most ten times a second.
public final class Progress: Sendable {
    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var isDrawn = false
    }

    /// Redrawing faster than the eye reads only costs.
    static let interval: Duration = .milliseconds(100)

    private let isEnabled: Bool
    private let columns: Int
    private let time: any TimeSource
    private let write: Console.Sink
    private let state = Locked(State())

    public init(isEnabled: Bool, columns: Int, time: any TimeSource, write: @escaping Console.Sink) {
        self.isEnabled = isEnabled
        self.columns = columns
        self.time = time
        self.write = write
    }

    /// Shows `text`, cut to the terminal's width, unless the last line is younger than 0.1 s.
    public func update(_ text: @autoclosure () -> String) {
        guard isEnabled else { return }
        let now = time.now
        let isDue = state.withLock { state in
            if let last = state.lastDrawn, now - last < Self.interval { return false }
            state.lastDrawn = now
            state.isDrawn = true
            return true
        }
        if isDue { write("\r\u{1B}[K" + TerminalText.line(text()).prefix(max(1, columns - 1))) }
    }

    /// Removes the line, so that what is printed next begins at the margin.
    public func finish() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\r\u{1B}[K") }
    }
}
