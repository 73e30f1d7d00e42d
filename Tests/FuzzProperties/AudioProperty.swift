import SluiceBitstream
import SluiceCore

/// Heads of sound frames and codec records of any bytes are read or refused; what is written of them reads the same.
enum AudioProperty {
    static func violation(_ bytes: [UInt8]) -> String? { frames(bytes) ?? dolby(bytes) ?? records(bytes) }

    private static func frames(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { buffer in
            var end = 0
            for payload in ADTSHeader.payloads(in: buffer) {
                guard payload.lowerBound >= end + 7, payload.upperBound <= bytes.count, !payload.isEmpty else {
                    return "ADTS payload at \(payload) after \(end)"
                }
                end = payload.upperBound
            }
            if let header = ADTSHeader(buffer), let config = header.config {
                guard let again = AudioSpecificConfig(config.bytes), again.sampleRate == header.sampleRate,
                    again.objectType == header.objectType
                else { return "the configuration of \(header) does not read back" }
            }
            if let header = MPEGAudioHeader(buffer) {
                guard header.sampleRate > 0, header.samples > 0, header.frameSize.map({ $0 > 0 }) ?? true else {
                    return "\(header)"
                }
            }
            if let samples = OpusPacket.samples(buffer), !(1...5_760).contains(samples) { return "\(samples) samples" }
            return nil
        }
    }

    private static func dolby(_ bytes: [UInt8]) -> String? {
        if let frame = AC3Frame(bytes) {
            guard frame.frameSize > 0, frame.sampleRate > 0, (1...6).contains(frame.channels),
                frame.configuration.count == 3
            else { return "\(frame)" }
        }
        if let frame = EAC3Frame(bytes) {
            guard frame.frameSize > 0, frame.sampleRate > 0, frame.samples > 0 else { return "\(frame)" }
        }
        if let record = EAC3Configuration(bytes) {
            guard !record.substreams.isEmpty, record.channels > 0, record.bytes.count >= 5 else { return "\(record)" }
        }
        return nil
    }

    private static func records(_ bytes: [UInt8]) -> String? {
        if let config = AudioSpecificConfig(bytes) {
            if config.channels.map({ $0 < 0 }) ?? false || config.frameSamples <= 0 { return "\(config)" }
            if config.outputFrameSamples < config.frameSamples { return "\(config)" }
            if let again = AudioSpecificConfig(config.bytes) {
                if again.objectType != config.objectType || again.sampleRate != config.sampleRate {
                    return "\(config) reads back as \(again)"
                }
            } else {
                return "\(config) does not read back"
            }
        }
        if let info = FLACStreamInfo(bytes) {
            guard FLACStreamInfo(info.bytes) == info, (1...8).contains(info.channels) else { return "\(info)" }
        }
        if let cookie = ALACConfiguration(bytes) {
            guard ALACConfiguration(cookie.bytes) == cookie, [24, 48].contains(cookie.bytes.count) else {
                return "\(cookie)"
            }
        }
        for head in [OpusConfiguration(head: bytes), OpusConfiguration(box: bytes)].compactMap(\.self) {
            guard OpusConfiguration(box: head.bytes) == head else { return "\(head) does not read back" }
        }
        return nil
    }
}
