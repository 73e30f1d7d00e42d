public import SluiceCore

/// Opens sources by name.
public enum Transport {
    /// The source `locator` names, ready to be read: its size and seekability are known.
    ///
    /// Blocks for the network up to `options.openTimeout`; call it only on a thread that may block. `willOpen` receives
    /// the source before it is waited for, so that another thread can `interrupt()` or `close()` it meanwhile.
    ///
    /// Throws `.invalidOption` or `.unsupported` for a locator or header that cannot be used, `.notFound`,
    /// `.accessDenied`, `.transport` (with `httpStatus` where one came), `.timedOut`, `.cancelled`, `.exhausted`.
    public static func open(
        _ locator: String, headers: [HeaderField] = [], options: TransportOptions = TransportOptions(),
        willOpen: (any ByteSource) -> Void = { _ in }
    ) throws(NodeFailure) -> any ByteSource {
        switch try SourceLocator(locator) {
        case .file(let path):
            let source = try FileSource(path: path)
            willOpen(source)
            return source
        case .web(let url):
            let source = try HTTPSource(url, headers: headers, options: options)
            willOpen(source)
            do {
                try source.open()
            } catch {
                source.close()
                throw error
            }
            return source
        }
    }
}
