import SluiceAV
import SluiceCore
import SluiceTransport

/// A RIFF file of 32-bit float samples in one channel.
///
/// - Note: Multimedia Programming Interface and Data Specifications 1.0, "WAVE"; format tag 3 is IEEE float.
enum WaveFile {
    private static let headerBytes = 44
    private static let format: UInt16 = 3

    /// Writes what `next` gives until that is nil.
    ///
    /// - Parameters:
    ///   - next: little-endian samples, four bytes each.
    /// - Returns: samples that were written.
    /// - Throws: what writing the file and `next` throw; the file is not there then.
    static func write(
        _ path: String, inputs: [String], rate: Int, next: () throws(NodeFailure) -> [UInt8]?
    ) throws(NodeFailure) -> Int {
        let file = try OutputFile(path: path, inputs: inputs)
        // Who reads it as it is written learns no length.
        try file.write([ByteChunk(header(rate: rate, bytes: nil))])
        var bytes = 0
        while let samples = try next() {
            try file.write([ByteChunk(samples)])
            bytes += samples.count
        }
        try file.rewrite(header(rate: rate, bytes: bytes))
        try file.commit()
        return bytes / 4
    }

    /// - Parameter bytes: of all samples; nil while nobody knows.
    static func header(rate: Int, bytes: Int?) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let most = Int(UInt32.max)
        let data = min(bytes ?? most, most)
        let head = Array("RIFF".utf8) + little(min(data + headerBytes - 8, most), 4) + Array("WAVEfmt ".utf8)
        let layout = little(16, 4) + little(Int(format), 2) + little(1, 2) + little(rate, 4)
        let sample = little(rate * 4, 4) + little(4, 2) + little(32, 2)
        return head + layout + sample + Array("data".utf8) + little(data, 4)
    }
}

extension Frame {
    /// The samples of a frame of one packed plane.
    var plainBytes: [UInt8] {
        guard let sampleFormat, !sampleFormat.isEmpty else { return [] }
        return withUnsafePlane(0) { Array($0.prefix(sampleCount * channels * 4)) }
    }
}
