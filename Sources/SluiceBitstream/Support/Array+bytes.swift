import SluiceCore

extension [UInt8] {
    /// `withUnsafeBytes` that keeps the type of what `body` throws.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(NodeFailure) -> Result
    ) throws(NodeFailure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(NodeFailure) -> Result in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}
