import SluiceBitstream
import SluiceCore

/// What one sample lasts on a track's clock. Pure.
enum SampleLength {
    /// Ticks of one sample where neither the next one nor the packet says; what every frame of most sound codecs lasts.
    static func nominal(_ facts: TitleFacts, _ format: StreamFormat, _ clock: TrackClock, entry: SampleEntry) -> Int64 {
        guard format.type == .audio else {
            if let period = facts.framePeriod ?? format.video?.framePeriod {
                return max(1, Int64(1).rescaled(from: period, to: clock.timebase))
            }
            return max(1, Int64(clock.timescale) / 25)
        }
        if let (samples, rate) = frame(facts, format, entry), rate > 0 {
            return max(1, Int64(samples).scaled(by: Int64(clock.timescale), over: Int64(rate)))
        }
        if let grid = clock.grid { return grid.period }
        if let size = format.audio?.frameSize, size > 0, let rate = format.audio?.sampleRate, rate > 0 {
            return max(1, Int64(size).scaled(by: Int64(clock.timescale), over: Int64(rate)))
        }
        return max(1, Int64(clock.timescale) / 50)
    }

    /// Samples of a frame and the rate they are counted at.
    private static func frame(_ facts: TitleFacts, _ format: StreamFormat, _ entry: SampleEntry) -> (Int, Int)? {
        guard case .audio(let audio) = entry else { return nil }
        switch audio.codec {
        case .mp4a(let record):
            // Frames of unified speech and audio coding have several lengths; the container knows which.
            guard let config = AudioSpecificConfig(record), config.objectType != 42 else { return nil }
            return (config.frameSamples, config.sampleRate)
        case .mpeg:
            return facts.firstUnits[format.id].flatMap { MPEGAudioHeader($0) }.map { ($0.samples, $0.sampleRate) }
        case .ac3, .eac3: return (AC3Frame.samples, audio.sampleRate)
        case .alac(let cookie): return ALACConfiguration(cookie).map { ($0.frameSamples, $0.sampleRate) }
        case .flac(let record):
            return FLACStreamInfo(record).flatMap {
                $0.minimumBlock == $0.maximumBlock && $0.maximumBlock > 0 ? ($0.maximumBlock, $0.sampleRate) : nil
            }
        case .opus: return nil
        }
    }

    /// Samples of an ALAC frame, which says so itself where it is shorter than the others; nil where it begins otherwise.
    ///
    /// - Parameter whole: samples of the others.
    /// - Note: the decoder that Apple published: element tag, instance, 12 unused bits, then the flags.
    static func alacSamples(_ bytes: UnsafeRawBufferPointer, whole: Int) -> Int? {
        // A single channel, or a pair: the other elements tell nothing.
        guard bytes.count >= 7, bytes[0] >> 5 <= 1 else { return nil }
        guard bytes[2] & 0x10 != 0 else { return whole }
        var count: UInt64 = 0
        for byte in bytes[2..<7] { count = count << 8 | UInt64(byte) }
        // From bit 23 on, 32 bits.
        let samples = Int(truncatingIfNeeded: count >> 1 & 0xFFFF_FFFF)
        return samples > 0 && samples <= whole ? samples : nil
    }

    /// Samples of a FLAC frame, from its header; nil where there is none.
    ///
    /// - Note: RFC 9639 §9.1.1.
    static func flacSamples(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 8, bytes[0] == 0xFF, bytes[1] & 0xFC == 0xF8 else { return nil }
        let code = bytes[2] >> 4
        // The coded number takes one to seven bytes, as its first byte says.
        let lead = (~bytes[4]).leadingZeroBitCount
        let offset = 4 + (lead == 0 ? 1 : lead)
        switch code {
        case 1: return 192
        case 2...5: return 576 << Int(code - 2)
        case 6: return offset < bytes.count ? Int(bytes[offset]) + 1 : nil
        case 7: return offset + 1 < bytes.count ? (Int(bytes[offset]) << 8 | Int(bytes[offset + 1])) + 1 : nil
        case 8...15: return 256 << Int(code - 8)
        default: return nil
        }
    }
}
