import SluiceAV
import SluiceCore
import SluiceNodes

/// Everything `sluice probe` says about a source.
struct ProbeReport: Sendable {
    var locator: String
    var identity: String?
    var byteCount: Int64?
    var isSeekable: Bool
    var formatName: String
    var duration: Duration?
    var isDurationGuessed: Bool
    var startTime: Timestamp?
    var streams: [StreamFormat]
    /// Profile names and tags by stream index.
    var profiles: [String?]
    var streamTags: [[String: String]]
    var chapters: [Chapter]
    var tags: [String: String]
    var attachments: [Attachment]
    /// What was looked for in the pictures, and whether it was found; nil where nobody asked.
    var detected: [SignalDetection]?

    /// How each sound would reach a client that plays everything, by stream index.
    var deliveries: [Int: (delivery: SoundDelivery, reason: String)] {
        var found: [Int: (delivery: SoundDelivery, reason: String)] = [:]
        let route = RoutePolicy.route(streams)
        for stream in streams where stream.type == .audio {
            let known = route.audio.first { $0.stream == stream.id }
            let isCopied = known?.means == .copy
            var (delivery, reason) = BridgePolicy.delivery(stream, copies: isCopied, client: .everything)
            if case .bridge(let codec) = delivery, let known {
                reason = "\(known.reason): bridged to \(BridgePolicy.describe(BridgePolicy.settings(stream, codec)))"
            }
            found[stream.id.index] = (delivery, reason)
        }
        return found
    }

    init(_ locator: String, _ reader: borrowing FormatReader, _ source: any ByteSource) {
        self.locator = locator
        identity = source.identity
        byteCount = source.size
        isSeekable = source.isSeekable
        formatName = reader.formatName
        duration = reader.duration
        isDurationGuessed = reader.isDurationGuessed
        startTime = reader.startTime
        streams = reader.streams
        profiles = reader.streams.map(\.profileName)
        var streamTags: [[String: String]] = []
        for stream in reader.streams { streamTags.append(reader.metadata(of: stream.id)) }
        self.streamTags = streamTags
        chapters = reader.chapters
        tags = reader.metadata
        attachments = reader.attachments
    }
}

extension Disposition {
    /// The names of what is set, in the order of the flags.
    var names: [String] {
        let all: [(Disposition, String)] = [
            (.isDefault, "default"), (.forced, "forced"), (.commentary, "comment"),
            (.hearingImpaired, "hearing-impaired"), (.visualImpaired, "visual-impaired"),
            (.attachedPicture, "attached-picture"), (.original, "original"), (.dub, "dub"), (.captions, "captions"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

extension VideoFormat {
    /// Pictures a second; nil where unknown or variable.
    var rate: Timebase? { framePeriod.flatMap { Timebase($0.denominator, $0.numerator) } }

    /// What kind of high dynamic range the stream declares; nil for none.
    /// - Note: ISO/IEC 23091-2 §8.2: 16 is the PQ transfer function, 18 is HLG.
    var dynamicRange: String? {
        if dolbyVision != nil { return "dolby-vision" }
        switch colorTransfer {
        case 16: return "pq"
        case 18: return "hlg"
        default: return nil
        }
    }
}
