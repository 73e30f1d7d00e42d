internal import CFFmpeg
public import SluiceCore

/// Hashes packet payloads with libavutil, as its own `framehash` muxer does.
public struct PayloadHasher: ~Copyable {
    private var context: OpaquePointer?

    /// - Parameter algorithm: a name that libavutil knows: `MD5`, `SHA256`, `CRC32`.
    /// - Throws: `.unsupported` for an unknown one.
    public init(algorithm: String) throws(NodeFailure) {
        let code = av_hash_alloc(&context, algorithm)
        guard code >= 0, context != nil else {
            throw NodeFailure(.unsupported, "hash algorithm '\(algorithm)' is not one of libavutil's")
        }
    }

    deinit {
        var owned = context
        av_hash_freep(&owned)
    }

    /// The payload's hash in lower-case hexadecimal digits.
    public mutating func hash(_ packet: Packet) -> String {
        av_hash_init(context)
        packet.withUnsafeBytes { bytes in
            av_hash_update(context, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        let capacity = 2 * Int(av_hash_get_size(context)) + 1
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { digits in
            av_hash_final_hex(context, digits.baseAddress, Int32(capacity))
            return String(decoding: digits.prefix(while: { $0 != 0 }), as: UTF8.self)
        }
    }
}
