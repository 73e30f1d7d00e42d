import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceTransport

/// Opens a source and reads its container on a thread that may block.
enum OpenedSource {
    /// Does `body` on a thread that may block; on a terminal a line says how long the source has been waited for.
    static func waiting<Value: Sendable>(
        for locator: String, _ console: Console, _ body: @escaping @Sendable () throws(NodeFailure) -> Value
    ) async throws(NodeFailure) -> Value {
        let progress = console.progress()
        let begin = ContinuousClock.now
        let name = (try? SourceLocator(locator))?.redacted ?? ""
        let ticker = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
                progress.update("reading \(name), \((ContinuousClock.now - begin).components.seconds) s")
            }
        }
        defer {
            ticker.cancel()
            progress.finish()
        }
        return try await BlockingThreads.shared.run(body)
    }

    /// Hands `body` the opened reader and what names the source's content. An interruption ends any wait.
    static func read<Value: Sendable>(
        _ locator: String, budget: ProbeBudget, interruption: Interruption, console: Console,
        _ body: @escaping @Sendable (inout FormatReader, _ source: any ByteSource) throws(NodeFailure) -> Value
    ) async throws(NodeFailure) -> Value {
        try await waiting(for: locator, console) { () throws(NodeFailure) -> Value in
            let name = try SourceLocator(locator).fileName
            let source = try Transport.open(locator) { opening in interruption.onInterrupt { opening.interrupt() } }
            defer { source.close() }
            var reader = try FormatReader(source: source, hint: name, budget: budget)
            return try body(&reader, source)
        }
    }
}
