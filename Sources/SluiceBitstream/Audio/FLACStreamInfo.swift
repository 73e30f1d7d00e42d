/// STREAMINFO of a FLAC stream.
///
/// - Note: RFC 9639 §8.2; FLAC-in-ISOBMFF §3.3.2.
public struct FLACStreamInfo: Sendable, Hashable {
    /// The 34 bytes, without block header; a minimum block size that no decoder accepts is raised.
    public let bytes: [UInt8]
    public let minimumBlock: Int
    public let maximumBlock: Int
    /// Hertz.
    public let sampleRate: Int
    public let channels: Int
    public let bitsPerSample: Int
    /// 0 where unknown.
    public let totalSamples: Int64

    /// Finds STREAMINFO in codec configuration: bare (34 bytes), with its block header (38), or after `fLaC`.
    ///
    /// A minimum block size below 16 is set to the maximum where that one is sound (some encoders write 0). nil where
    /// the bytes are no STREAMINFO.
    public init?(_ record: [UInt8]) {
        var start = 0
        if record.starts(with: [0x66, 0x4C, 0x61, 0x43]) { start = 4 }
        if record.count - start >= 38, record[start] & 0x7F == 0, record[start + 1] == 0, record[start + 2] == 0,
            record[start + 3] == 34
        {
            start += 4
        } else if start == 4 {
            return nil
        }
        guard record.count - start >= 34 else { return nil }
        var info = Array(record[start..<(start + 34)])
        let maximum = Int(info[2]) << 8 | Int(info[3])
        if Int(info[0]) << 8 | Int(info[1]) < 16, maximum >= 16 {
            info[0] = info[2]
            info[1] = info[3]
        }
        let (rate, channelCode, depth, total) = info.withUnsafeBytes { buffer in
            var bits = BitReader(UnsafeRawBufferPointer(rebasing: buffer[10...]))
            return (bits.u(20), bits.u(3), bits.u(5), Int64(bits.u(4)) << 32 | Int64(bits.u(32)))
        }
        guard rate > 0 else { return nil }
        bytes = info
        minimumBlock = Int(info[0]) << 8 | Int(info[1])
        maximumBlock = maximum
        sampleRate = Int(rate)
        channels = Int(channelCode) + 1
        bitsPerSample = Int(depth) + 1
        totalSamples = total
    }
}
