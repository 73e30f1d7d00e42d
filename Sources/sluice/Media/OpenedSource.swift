import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceTransport

/// Opens a source and reads its container on a thread that may block.
enum OpenedSource {
    /// Hands `body` the opened reader and what names the source's content. An interruption ends any wait.
    static func read<Value: Sendable>(
        _ locator: String, budget: ProbeBudget, interruption: Interruption,
        _ body: @escaping @Sendable (inout FormatReader, _ source: any ByteSource) throws(NodeFailure) -> Value
    ) async throws(NodeFailure) -> Value {
        try await BlockingThreads.shared.run { () throws(NodeFailure) -> Value in
            let name = try SourceLocator(locator).fileName
            let source = try Transport.open(locator) { opening in interruption.onInterrupt { opening.interrupt() } }
            defer { source.close() }
            var reader = try FormatReader(source: source, hint: name, budget: budget)
            return try body(&reader, source)
        }
    }
}
