internal import CFFmpeg

/// Message authentication by libavutil.
public enum MessageAuthentication {
    /// HMAC with SHA-256 of `message` under `key`: 32 bytes.
    ///
    /// - Note: RFC 2104, FIPS 180-4.
    public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        guard let context = av_hmac_alloc(AV_HMAC_SHA256) else { LibraryError.outOfMemory() }
        defer { av_hmac_free(context) }
        var digest = [UInt8](repeating: 0, count: 32)
        let count = av_hmac_calc(
            context, message, UInt32(clamping: message.count), key, UInt32(clamping: key.count), &digest,
            UInt32(clamping: digest.count))
        precondition(count == digest.count, "libavutil's SHA-256 has another size")
        return digest
    }
}
