import SluiceAV
import SluiceCore
import SluiceNodes

extension ProbeReport {
    /// The report for people.
    var text: String {
        var lines = ["source       \(locator)", "format       \(formatName)"]
        lines.append(
            "duration     \(duration.map { Self.clock($0) } ?? "unknown")\(isDurationGuessed ? " (guessed)" : "")")
        if let startTime { lines.append("start        \(Self.decimal(startTime.seconds)) s") }
        lines.append(
            "size         \(byteCount.map { "\($0) bytes" } ?? "unknown")\(isSeekable ? "" : ", one pass only")")
        lines.append("identity     \(identity ?? "none")")
        let deliveries = deliveries
        for (stream, profile) in zip(streams, profiles) {
            lines.append(Self.line(stream, profile))
            if let found = deliveries[stream.id.index] {
                lines.append("  delivered  \(found.delivery == .refused ? "no: " : "")\(found.reason)")
            }
        }
        for (index, chapter) in chapters.enumerated() {
            let start = Self.decimal(chapter.start.seconds)
            lines.append("chapter \(index)    \(start) s for \(Self.clock(chapter.duration)): \(chapter.title)")
        }
        for attachment in attachments {
            let name = attachment.fileName ?? attachment.mimeType ?? attachment.codec.rawValue
            lines.append(
                "attachment   \(attachment.stream) \(attachment.kind.rawValue), \(attachment.byteCount) bytes: \(name)")
        }
        for found in detected ?? [] {
            lines.append("detected     \(found.kind.rawValue): \(found.finding ?? "not in the first pictures")")
        }
        for (key, value) in tags.sorted(by: { $0.key < $1.key }) { lines.append("tag          \(key)=\(value)") }
        return lines.map { TerminalText.line($0) }.joined(separator: "\n")
    }

    private static func line(_ stream: StreamFormat, _ profile: String?) -> String {
        var parts = ["\(stream.type.rawValue) \(stream.codec)"]
        if let profile = profile ?? stream.profile.map(String.init) {
            parts[0] += " (\(profile)\(stream.level.map { ", level \($0)" } ?? ""))"
        }
        if let video = stream.video { parts += describe(video) }
        if let audio = stream.audio {
            parts.append("\(audio.sampleRate) Hz")
            parts.append(audio.layout ?? "\(audio.channels) channels")
        }
        if let bitRate = stream.bitRate { parts.append("\(bitRate / 1_000) kb/s") }
        if let language = stream.language { parts.append(language) }
        parts += PictureTraitRule.traits(stream).map(\.rawValue)
        parts += stream.disposition.names
        if let title = stream.title { parts.append("\"\(title)\"") }
        if let parked = stream.parked { parts.append("parked: \(parked.rawValue)") }
        let head = "stream \(stream.id)"
        return head + String(repeating: " ", count: max(1, 13 - head.count)) + parts.joined(separator: ", ")
    }

    private static func describe(_ video: VideoFormat) -> [String] {
        var parts = ["\(video.width)x\(video.height)"]
        if let aspect = video.sampleAspect, aspect.numerator != aspect.denominator {
            parts[0] += " (samples \(aspect.numerator):\(aspect.denominator))"
        }
        if let rate = video.rate {
            parts.append("\(decimal(Double(rate.numerator) / Double(rate.denominator))) fps")
        }
        if let pixelFormat = video.pixelFormat { parts.append(pixelFormat) }
        if video.interlaced == true { parts.append("interlaced") }
        if video.rotation != 0 { parts.append("rotated by \(video.rotation)°") }
        switch video.colorTransfer {
        case 16: parts.append("PQ")
        case 18: parts.append("HLG")
        default: break
        }
        if let vision = video.dolbyVision {
            parts.append(
                "Dolby Vision \(vision.profile).\(vision.compatibility) level \(vision.level)"
                    + (vision.hasEnhancementLayer ? " with enhancement layer" : ""))
        }
        if let display = video.masteringDisplay {
            parts.append("mastered at \(decimal(Double(display.maximumLuminance) / 10_000)) cd/m²")
        }
        if let level = video.lightLevel {
            parts.append("MaxCLL \(level.maximumContent), MaxFALL \(level.maximumFrameAverage)")
        }
        return parts
    }

    /// `h:mm:ss.mmm`.
    static func clock(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.nanoseconds / 1_000_000)
        let (seconds, rest) = (milliseconds / 1_000 % 60, milliseconds % 1_000)
        func padded(_ value: Int64, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
        }
        return
            "\(milliseconds / 3_600_000):\(padded(milliseconds / 60_000 % 60, 2)):\(padded(seconds, 2)).\(padded(rest, 3))"
    }

    /// At most three decimals.
    static func decimal(_ value: Double) -> String {
        let scaled = Int64(clampingReal: value * 1_000)
        let digits = "\(scaled.magnitude % 1_000 + 1_000)".dropFirst()
        var text = "\(scaled < 0 ? "-" : "")\(scaled.magnitude / 1_000).\(digits)"
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
