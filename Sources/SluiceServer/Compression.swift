import Glibc
import Sluice
import SluiceCore

/// Compresses playlists, reports and pages for clients that take gzip.
enum Compression {
    /// Bodies below this gain less than their headers cost; those above would hold a thread.
    private static let sizes = 512...(4 << 20)

    /// The response with its body compressed where the client wants that and it helps, else unchanged.
    ///
    /// - Note: RFC 9110 §8.4.1.3, §12.5.3. The compressed form has an entity tag of its own (§8.8.3.3), and no ranges.
    static func apply(to response: Response, for request: Request) -> Response {
        guard response.status == 200, case .bytes(let bytes) = response.body, sizes.contains(bytes.count),
            response.headers["Content-Encoding"] == nil, isText(response.headers["Content-Type"])
        else { return response }
        var varied = response
        varied.headers.append("Vary", "Accept-Encoding")
        guard request.headers["Range"] == nil, accepts(request.headers.values("Accept-Encoding")),
            let packed = gzip(bytes), packed.count < bytes.count
        else { return varied }
        varied.body = .bytes(packed)
        varied.headers["Content-Encoding"] = "gzip"
        varied.headers["Accept-Ranges"] = "none"
        if let tag = response.headers["ETag"], tag.hasSuffix("\"") { varied.headers["ETag"] = tag.dropLast() + "-gz\"" }
        return varied
    }

    private static func isText(_ type: String?) -> Bool {
        guard let type = type?.prefix(while: { $0 != ";" }).lowercased() else { return false }
        return type.hasPrefix("text/")
            || [
                "application/vnd.apple.mpegurl", "application/json", "application/javascript", "image/svg+xml",
            ].contains(type)
    }

    /// Whether gzip is in the list with a weight above 0.
    static func accepts(_ fields: [String]) -> Bool {
        for item in fields.joined(separator: ",").split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first, name == "gzip" || name == "x-gzip" || name == "*" else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return weight.map { (Double($0) ?? 1) > 0 } ?? true
        }
        return false
    }

    /// A gzip member; nil where zlib is not there.
    ///
    /// - Note: RFC 1952 §2.3; RFC 1950 §2.2 for what zlib writes around the same compressed data.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard let library = ZLibrary.shared, let stream = library.compress(bytes), stream.count > 6 else { return nil }
        var packed: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        packed += stream[2..<stream.count - 4]
        for value in [library.checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            packed += (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        }
        return packed
    }
}

/// The zlib that libavformat brings along, found when it is first needed.
private struct ZLibrary: Sendable {
    private typealias Bound = @convention(c) (UInt) -> UInt
    private typealias Compress =
        @convention(c) (
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt>?, UnsafePointer<UInt8>?, UInt, Int32
        ) -> Int32
    private typealias Check = @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt

    static let shared = ZLibrary()

    private let bound: Bound
    private let pack: Compress
    private let check: Check

    private init?() {
        guard let handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL), let bound = dlsym(handle, "compressBound"),
            let pack = dlsym(handle, "compress2"), let check = dlsym(handle, "crc32")
        else { return nil }
        self.bound = unsafeBitCast(bound, to: Bound.self)
        self.pack = unsafeBitCast(pack, to: Compress.self)
        self.check = unsafeBitCast(check, to: Check.self)
    }

    /// A zlib stream.
    func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var size = bound(UInt(bytes.count))
        let packed = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            let result = pack(buffer.baseAddress, &size, bytes, UInt(bytes.count), 6)
            count = result == 0 ? Int(size) : 0
        }
        return packed.isEmpty ? nil : packed
    }

    func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: check(0, bytes, UInt32(clamping: bytes.count)))
    }
}
