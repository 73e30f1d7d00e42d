internal import CMediaShim
internal import CMicrohttpd
import Glibc
import Sluice
import SluiceCore

/// Hands responses to libmicrohttpd.
enum ResponseWriter {
    /// Bodies up to this are copied into one buffer; larger ones are sent from where they are, or pulled piece by piece
    /// where they have too many pieces for that or are encrypted on the way.
    static let smallBody: Int64 = 64 * 1024
    /// Bytes a pulled body is read in, and the memory an answer in progress holds.
    static let block = 64 * 1024

    /// Queues `response`; false where it could not be made, which closes the connection.
    ///
    /// - Parameter vectors: how a body in memory may be sent without copying it.
    static func queue(
        _ response: Response, for request: Request, on connection: OpaquePointer, closing: Bool, vectors: VectorRule
    ) -> Bool {
        let resolved = ResolvedResponse(response, for: request)
        var status = resolved.status
        var headers = resolved.headers
        // What is encrypted on the way is copied anyway.
        let pieces = sluice_mhd_is_secure(connection) != 0 ? 0 : vectors.pieces(for: request)
        var made = make(resolved, pieces)
        if made == nil {
            status = 500
            headers = ["Cache-Control": "no-store"]
            made = sluice_mhd_empty_response()
        }
        guard let made else { return false }
        defer { MHD_destroy_response(made) }
        addCrossOriginHeaders(&headers)
        for field in headers where !isServersOwn(field.name) {
            _ = MHD_add_response_header(made, field.name, field.value)
        }
        if closing { _ = MHD_add_response_header(made, "Connection", "close") }
        return sluice_mhd_queue(connection, UInt32(clamping: status), made) == 1
    }

    /// Answers a preflight: any page may read, with the request headers that players send.
    static let preflight = Response(
        status: 204,
        headers: [
            "Allow": "GET, HEAD, POST, OPTIONS",
            "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
            "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, If-Range, Range",
            "Access-Control-Max-Age": "86400",
        ])

    private static func addCrossOriginHeaders(_ headers: inout Headers) {
        if headers["Access-Control-Allow-Origin"] == nil { headers["Access-Control-Allow-Origin"] = "*" }
        if headers["Access-Control-Expose-Headers"] == nil {
            headers["Access-Control-Expose-Headers"] =
                "Accept-Ranges, Content-Length, Content-Range, Date, ETag, Location, Retry-After"
        }
    }

    private static func isServersOwn(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "date"].contains(name.lowercased())
    }

    private static func make(_ resolved: ResolvedResponse, _ pieces: Int) -> OpaquePointer? {
        switch resolved.body {
        case .none: sluice_mhd_empty_response()
        case .bytes(let bytes): make([ByteChunk(bytes)], resolved.range, pieces)
        case .chunks(let chunks): make(chunks, resolved.range, pieces)
        case .file(let path, _): makeFile(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), resolved.range)
        case .open(let file): makeFile(fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0), resolved.range)
        }
    }

    private static func make(_ chunks: [ByteChunk], _ range: Range<Int64>, _ pieces: Int) -> OpaquePointer? {
        let size = range.upperBound - range.lowerBound
        if size == 0 { return sluice_mhd_empty_response() }
        if size <= smallBody { return makeSmall(PulledBody(chunks, from: range.lowerBound), Int(size)) }
        guard chunks.count <= pieces else {
            return makePulled(PulledBody(chunks, from: range.lowerBound), UInt64(size))
        }
        guard let body = VectoredBody(chunks, range) else { return nil }
        return body.pieces.withUnsafeBufferPointer { pieces in
            sluice_mhd_vector_response(
                pieces.baseAddress, UInt32(clamping: pieces.count), Unmanaged.passRetained(body).toOpaque(),
                { context in
                    if let context { Unmanaged<VectoredBody>.fromOpaque(context).release() }
                })
        }
    }

    private static func makeSmall(_ body: PulledBody, _ size: Int) -> OpaquePointer? {
        guard let memory = malloc(size) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: size)
        guard body.read(at: 0, into: buffer) == size, let response = sluice_mhd_buffer_response(memory, size) else {
            free(memory)
            return nil
        }
        return response
    }

    private static func makePulled(_ body: PulledBody, _ size: UInt64) -> OpaquePointer? {
        sluice_mhd_pulled_response(
            size, block, Unmanaged.passRetained(body).toOpaque(),
            { context, position, buffer, size in
                guard let context, let buffer else { return -1 }
                return Unmanaged<PulledBody>.fromOpaque(context).takeUnretainedValue()
                    .read(at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            },
            { context in
                if let context { Unmanaged<PulledBody>.fromOpaque(context).release() }
            })
    }

    /// The kernel copies from the file to the socket; the response closes the descriptor.
    private static func makeFile(_ descriptor: Int32, _ range: Range<Int64>) -> OpaquePointer? {
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            Int64(facts.st_size) >= range.upperBound,
            let response = MHD_create_response_from_fd_at_offset64(
                UInt64(range.upperBound - range.lowerBound), descriptor, UInt64(range.lowerBound))
        else {
            close(descriptor)
            return nil
        }
        return response
    }
}
