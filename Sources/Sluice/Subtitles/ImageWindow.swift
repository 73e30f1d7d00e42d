import SluiceAV
import SluiceCore
import SluiceGraph
import SluiceNodes

/// The pictures of a bitmap track that are shown in one segment.
struct ImageWindow: Sendable {
    struct Entry: Sendable {
        var cue: BitmapCue
        /// `12-0-<hash>.png`: the segment that it begins in, its number in its display, its content.
        var name: ImageName
    }

    var segment: Int
    var entries: [Entry]

    /// - Parameter facts: say how large the picture is that they are shown on.
    func json(_ facts: TitleFacts, isDisc: Bool) -> JSONValue {
        let video = facts.video.flatMap { facts.format($0)?.video }
        let picture = video.map { ($0.width, $0.height) }
        let cues = entries.map { entry -> JSONValue in
            let cue = entry.cue
            let place = BitmapPlacement.place(cue, isDisc: isDisc, picture: picture)
            return [
                "start": .real(Double(cue.start) / 1_000), "end": .real(Double(cue.end) / 1_000),
                "forced": .boolean(cue.object.isForced), "image": .string(entry.name.text),
                "width": .integer(cue.object.width), "height": .integer(cue.object.height),
                "plane": [
                    "width": .integer(cue.width), "height": .integer(cue.height), "x": .integer(cue.object.x),
                    "y": .integer(cue.object.y),
                ],
                "place": [
                    "x": Self.share(place.x), "y": Self.share(place.y), "width": Self.share(place.width),
                    "height": Self.share(place.height),
                ],
            ]
        }
        return ["segment": .integer(segment), "cues": .array(cues)]
    }

    private static func share(_ value: Double) -> JSONValue { .real((value * 100_000).rounded() / 100_000) }
}

/// The name of a picture of a bitmap track: any machine finds it again by that.
package struct ImageName: Sendable, Hashable {
    /// Segment that its display begins in.
    var segment: Int
    /// Number in its display.
    var number: Int
    /// Sixteen hexadecimal digits over size and pixels.
    var hash: String

    init(_ object: BitmapObject, segment: Int, number: Int) {
        self.segment = segment
        self.number = number
        let seed = Checksum.of("\(object.width)x\(object.height)".utf8)
        let digits = String(Checksum.of(object.pixels) ^ seed, radix: 16)
        hash = String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    /// Nil for what is no such name.
    init?(_ text: String) {
        guard text.hasSuffix(".png") else { return nil }
        let parts = text.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let segment = Self.number(parts[0]), let number = Self.number(parts[1]),
            parts[2].utf8.count == 16,
            parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        (self.segment, self.number, hash) = (segment, number, String(parts[2]))
    }

    package var text: String { "\(segment)-\(number)-\(hash).png" }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.first != "0"
        else { return nil }
        return Int(text)
    }
}
