import Sluice

/// How many pieces of memory a body may have to be handed to libmicrohttpd as they are. Pure.
///
/// The library keeps its list of them in the connection's memory, beside what the client sent, and aborts the process
/// where it does not fit. So only where what the request takes there is certain to leave room.
struct VectorRule: Sendable {
    /// What the library has for a connection.
    let connectionBytes: Int

    /// Bytes of one piece in the list.
    static let pieceBytes = 16
    /// Bytes that a header field or an argument takes beside its text, at most.
    static let fieldBytes = 96
    /// Bytes of the answer's own header, at most.
    static let answerBytes = 4_096

    /// 0 where there may be no room at all.
    func pieces(for request: Request) -> Int {
        let text = request.headers.reduce(request.path.utf8.count + (request.queryText?.utf8.count ?? 0)) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        let arguments = request.queryText.map { $0.utf8.count { $0 == UInt8(ascii: "&") } + 1 } ?? 0
        // The library begins with half of the memory for what it reads, which may be full of the next requests, and takes
        // more where the header does not fit. Cookies are copied and taken apart.
        guard text < connectionBytes / 4, request.headers["Cookie"] == nil else { return 0 }
        let used = connectionBytes / 2 + (request.headers.count + arguments) * Self.fieldBytes + Self.answerBytes
        // And half of the rest, for what is not known here.
        return max(0, (connectionBytes - used) / 2 / Self.pieceBytes)
    }
}
