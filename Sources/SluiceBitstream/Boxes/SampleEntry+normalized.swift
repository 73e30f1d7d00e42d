import SluiceCore

extension SampleEntry {
    /// The entry with its codec record in the form a file needs; throws `.malformedInput` where that is impossible.
    func normalized() throws(NodeFailure) -> SampleEntry {
        switch self {
        case .video(var video):
            switch video.codec {
            case .avc(let record):
                try Self.require(record.count >= 7 && record[0] == 1, "avcC", record, "version 1 and 7 bytes or more")
            case .hevc(let record):
                video.codec = .hevc(try Self.normalizedHEVC(record))
            case .av1(let record):
                try Self.require(
                    record.count >= 4 && record[0] == 0x81, "av1C", record, "marker and version 1, 4 bytes or more")
            case .vp9(let record):
                try Self.require(record.count >= 8, "vpcC", record, "8 bytes or more")
            }
            return .video(video)
        case .audio(let audio):
            switch audio.codec {
            case .mp4a(let record):
                try Self.require(record.count >= 2, "AudioSpecificConfig", record, "2 bytes or more")
            case .mpeg: break
            case .ac3(let record): try Self.require(record.count == 3, "dac3", record, "3 bytes")
            case .eac3(let record): try Self.require(record.count >= 5, "dec3", record, "5 bytes or more")
            case .flac(let record): try Self.require(record.count == 34, "STREAMINFO", record, "34 bytes")
            case .alac(let record): try Self.require(record.count >= 24, "ALAC cookie", record, "24 bytes or more")
            case .opus(let record): try Self.require(record.count >= 11, "dOps", record, "11 bytes or more")
            }
            return self
        }
    }

    private static func normalizedHEVC(_ record: [UInt8]) throws(NodeFailure) -> [UInt8] {
        try require(record.count >= 23 && record[0] == 1, "hvcC", record, "version 1 and 23 bytes or more")
        return try HEVCConfigurationRecord(record).normalized().bytes
    }

    private static func require(
        _ condition: Bool, _ name: String, _ record: [UInt8], _ expected: String
    ) throws(NodeFailure) {
        guard !condition else { return }
        throw NodeFailure(.malformedInput, "\(name) of \(record.count) bytes; expected \(expected)")
    }
}
