import SluiceBitstream
import SluiceCore

extension TrackFactory {
    static func sound(_ facts: TitleFacts, _ format: StreamFormat) throws(NodeFailure) -> AudioSampleEntry {
        if let bridged = facts.bridges[format.id] { return bridged.encoded.entry }
        guard let audio = format.audio else { throw refused(format, "a sample rate and channels") }
        let first = facts.firstUnits[format.id] ?? []
        switch format.codec {
        case "aac": return try advanced(format, audio, first)
        case "mp3":
            guard let header = MPEGAudioHeader(first) else { throw refused(format, "a frame header at the start") }
            return AudioSampleEntry(
                codec: .mpeg(objectType: header.objectType), sampleRate: header.sampleRate, channels: header.channels)
        case "ac3":
            guard let frame = AC3Frame(first) else { throw refused(format, "an AC-3 frame at the start") }
            return AudioSampleEntry(
                codec: .ac3(frame.configuration), sampleRate: frame.sampleRate, channels: frame.channels)
        case "eac3": return try enhanced(format, first)
        case "flac":
            guard let info = FLACStreamInfo(format.extradata) else { throw refused(format, "STREAMINFO") }
            return AudioSampleEntry(
                codec: .flac(info.bytes), sampleRate: info.sampleRate, channels: info.channels,
                bitsPerSample: info.bitsPerSample)
        case "alac":
            guard let cookie = ALACConfiguration(format.extradata) else { throw refused(format, "an ALAC cookie") }
            return AudioSampleEntry(
                codec: .alac(cookie.bytes), sampleRate: cookie.sampleRate, channels: cookie.channels,
                bitsPerSample: cookie.bitsPerSample)
        case "opus":
            guard let head = OpusConfiguration(head: format.extradata) ?? OpusConfiguration(box: format.extradata)
            else {
                throw refused(format, "an identification header")
            }
            return AudioSampleEntry(codec: .opus(head.bytes), sampleRate: 48_000, channels: head.channels)
        default: throw refused(format, "sound in AAC, MP3, AC-3, E-AC-3, FLAC, ALAC or Opus")
        }
    }

    private static func advanced(
        _ format: StreamFormat, _ audio: AudioFormat, _ first: [UInt8]
    ) throws(NodeFailure) -> AudioSampleEntry {
        var record = format.extradata
        if record.count < 2 {
            guard let header = ADTSHeader(first), var config = header.config else {
                throw refused(format, "an AudioSpecificConfig or an ADTS header")
            }
            guard header.channelConfiguration > 0 else {
                throw refused(format, "a channel configuration in the ADTS headers")
            }
            // No coder in use makes sound of scalable sampling rate: headers that say so stand before AAC-LC.
            if config.objectType == 3 { config.objectType = 2 }
            record = config.bytes
        }
        guard let config = AudioSpecificConfig(record) else {
            throw refused(format, "an AudioSpecificConfig of a known kind")
        }
        // Decoders refuse a rate that is spelled out although it has a number.
        let isSpelledOut = record.count > 1 && (record[0] & 7) << 1 | record[1] >> 7 == 15
        if isSpelledOut, config.channelConfiguration > 0, config.objectType == 2,
            AudioSpecificConfig.sampleRates.contains(config.sampleRate)
        {
            record = config.bytes
        }
        guard config.objectType == 2 else { throw refused(format, "AAC-LC, alone or under HE-AAC") }
        return AudioSampleEntry(
            codec: .mp4a(record), sampleRate: config.sampleRate, channels: config.channels ?? audio.channels)
    }

    private static func enhanced(_ format: StreamFormat, _ first: [UInt8]) throws(NodeFailure) -> AudioSampleEntry {
        guard let config = EAC3Configuration(first), let frame = EAC3Frame(first) else {
            throw refused(format, "an E-AC-3 access unit at the start")
        }
        let frames = first.withUnsafeBytes { EAC3Configuration.frames(in: $0) }
        let blocks = frames.filter { $0.kind != .dependent && $0.substream == frame.substream }.reduce(0) {
            $0 + $1.blocks
        }
        guard blocks % 6 == 0 else {
            throw refused(format, "six audio blocks a packet, not \(blocks)")
        }
        return AudioSampleEntry(codec: .eac3(config.bytes), sampleRate: frame.sampleRate, channels: config.channels)
    }
}
