import SluiceBitstream
import SluiceCore

/// Frames and units of codecs without NAL units.
extension SampleConverter {
    func split(_ chunk: ByteChunk, _ ranges: (UnsafeRawBufferPointer) -> [Range<Int>]) -> [ConvertedSample] {
        let base = chunk.range.lowerBound
        return chunk.withUnsafeBytes { ranges($0) }.map { range in
            ConvertedSample(chunks: [ByteChunk(chunk.storage, (base + range.lowerBound)..<(base + range.upperBound))])
        }
    }

    static func ac3Frames(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count, let frame = AC3Frame(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
            // One that is cut off cannot be decoded.
            let end = offset + max(1, frame.frameSize)
            guard end <= bytes.count else { break }
            ranges.append(offset..<end)
            offset = end
        }
        return ranges
    }

    /// Access units: six blocks of the first independent substream with everything that goes with them.
    static func eac3Units(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var begin = 0
        var offset = 0
        var blocks = 0
        while offset < bytes.count, let frame = EAC3Frame(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
            if frame.kind != .dependent, frame.substream == 0 {
                if blocks >= 6 {
                    ranges.append(begin..<offset)
                    begin = offset
                    blocks = 0
                }
                blocks += frame.blocks
            }
            let end = offset + max(1, frame.frameSize)
            // One that is cut off cannot be decoded.
            guard end <= bytes.count else { break }
            offset = end
        }
        if offset > begin { ranges.append(begin..<offset) }
        return ranges
    }

    /// - Note: AV1-ISOBMFF §2.4: temporal delimiters, tile lists and padding are left out.
    mutating func temporalUnit(_ chunk: ByteChunk) -> [ConvertedSample] {
        let base = chunk.range.lowerBound
        let runs: [Range<Int>] = chunk.withUnsafeBytes { bytes in
            var runs: [Range<Int>] = []
            for unit in OBUs(bytes) {
                if unit.type == .temporalDelimiter || unit.type == .padding || unit.type == .tileList { continue }
                if isStripping, unit.type == .metadata, DolbyVisionRPU.isMessage(metadata: bytes[unit.payload]) {
                    strippedUnits += 1
                    continue
                }
                if let last = runs.last, last.upperBound == unit.range.lowerBound {
                    runs[runs.count - 1] = last.lowerBound..<unit.range.upperBound
                } else {
                    runs.append(unit.range)
                }
            }
            return runs
        }
        guard !runs.isEmpty else { return [] }
        return [
            ConvertedSample(
                chunks: runs.map { ByteChunk(chunk.storage, (base + $0.lowerBound)..<(base + $0.upperBound)) })
        ]
    }
}
