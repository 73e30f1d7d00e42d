/// An ALACSpecificConfig, also called magic cookie.
///
/// - Note: Apple Lossless magic cookie description (24 bytes, then an optional channel layout).
public struct ALACConfiguration: Sendable, Hashable {
    /// The cookie without box headers: 24 bytes, or 48 with a channel layout.
    public let bytes: [UInt8]
    /// Samples a packet.
    public let frameSamples: Int
    public let bitsPerSample: Int
    public let channels: Int
    /// Hertz.
    public let sampleRate: Int

    /// Finds the cookie in codec configuration: bare, or inside `alac` boxes with or without a `frma` before it.
    ///
    /// nil where no sound cookie is there.
    public init?(_ record: [UInt8]) {
        guard let start = Self.start(record) else { return nil }
        let cookie = record[start...]
        guard cookie.count >= 24 else { return nil }
        bytes = Array(cookie.prefix(cookie.count >= 48 ? 48 : 24))
        frameSamples = Int(bytes[0]) << 24 | Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
        bitsPerSample = Int(bytes[5])
        channels = Int(bytes[9])
        sampleRate = bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
        guard bytes[4] == 0, [16, 20, 24, 32].contains(bitsPerSample), (1...8).contains(channels), sampleRate > 0,
            (1...65_536).contains(frameSamples)
        else { return nil }
    }

    private static func start(_ record: [UInt8]) -> Int? {
        var offset = 0
        // `frma` (12 bytes) may come first; `alac` is a full box of 12 bytes before the cookie.
        for _ in 0..<3 {
            guard record.count - offset >= 12 else { return offset }
            let type = Array(record[(offset + 4)..<(offset + 8)])
            if type == Array("frma".utf8) {
                offset += 12
            } else if type == Array("alac".utf8) {
                return offset + 12
            } else {
                return offset
            }
        }
        return nil
    }
}
