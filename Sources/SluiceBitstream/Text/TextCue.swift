/// One subtitle: a text with its times, and where it stands where that was said.
package struct TextCue: Sendable, Hashable {
    /// Milliseconds on the timeline of whoever made it.
    package var start: Int64
    /// Milliseconds; nil where nobody said: until the next one, see ``TextTimeline``.
    package var end: Int64?
    package var text: CueText
    package var placement: CuePlacement?
    /// What a WebVTT file says of its own cue, checked; nil elsewhere.
    package var settings: WebVTTSettings?

    package init(
        start: Int64, end: Int64?, text: CueText, placement: CuePlacement? = nil, settings: WebVTTSettings? = nil
    ) {
        self.start = start
        self.end = end
        self.text = text
        self.placement = placement
        self.settings = settings
    }

    /// Bytes that it is counted with where cues are kept.
    package var byteCost: Int { 96 + text.runs.reduce(0) { $0 + 48 + $1.text.utf8.count } }
}

/// Runs of equal style; line feeds stand inside the texts.
package struct CueText: Sendable, Hashable {
    package var runs: [TextRun] = []

    package init(runs: [TextRun] = []) { self.runs = runs }
    package init(_ plain: String) { runs = plain.isEmpty ? [] : [TextRun(text: plain)] }

    /// The text without its styles.
    package var plain: String { runs.map(\.text).joined() }
    package var isEmpty: Bool { runs.isEmpty }
}

package struct TextRun: Sendable, Hashable {
    package var text: String
    package var style: TextStyle

    package init(text: String, style: TextStyle = TextStyle()) {
        self.text = text
        self.style = style
    }
}

package struct TextStyle: Sendable, Hashable {
    package var isBold = false
    package var isItalic = false
    package var isUnderlined = false
    /// nil: the player's own.
    package var color: TextColor?

    package init() {}
}

/// A colour of eight bits a component.
package struct TextColor: Sendable, Hashable, Comparable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Parameter value: `0xRRGGBB`.
    package init(rgb value: UInt32) {
        self.init(UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }

    package var rgb: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
    package static func < (left: Self, right: Self) -> Bool { left.rgb < right.rgb }

    /// `#rgb`, `#rrggbb`, `rrggbb`, or a name of HTML's sixteen; nil for anything else.
    package init?(html text: String) {
        let value = text.lowercased().drop { $0 == "#" }
        if let named = Self.names[String(value)] {
            self.init(rgb: named)
            return
        }
        guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        switch value.utf8.count {
        case 3: self.init(rgb: value.reduce(0) { $0 << 8 | UInt32($1.hexDigitValue ?? 0) * 17 })
        case 6: self.init(rgb: UInt32(value, radix: 16) ?? 0)
        default: return nil
        }
    }

    private static let names: [String: UInt32] = [
        "black": 0x000000, "silver": 0xC0C0C0, "gray": 0x808080, "white": 0xFFFFFF, "maroon": 0x800000,
        "red": 0xFF0000, "purple": 0x800080, "fuchsia": 0xFF00FF, "magenta": 0xFF00FF, "green": 0x008000,
        "lime": 0x00FF00, "olive": 0x808000, "yellow": 0xFFFF00, "navy": 0x000080, "blue": 0x0000FF,
        "teal": 0x008080, "aqua": 0x00FFFF, "cyan": 0x00FFFF,
    ]
}

/// Where a cue stands: a row and a column of the picture, and a point where one was given.
package struct CuePlacement: Sendable, Hashable {
    /// As on a numeric keypad: 1 is bottom left, 2 bottom centre, 9 top right.
    package var alignment: Int
    /// Shares of the picture's width and height from the top left, 0 to 1.
    package var anchor: CueAnchor?

    package init(alignment: Int, anchor: CueAnchor? = nil) {
        self.alignment = (1...9).contains(alignment) ? alignment : 2
        self.anchor = anchor
    }

    /// 0 left, 1 centre, 2 right.
    package var column: Int { (alignment - 1) % 3 }
    /// 0 bottom, 1 middle, 2 top.
    package var row: Int { (alignment - 1) / 3 }
}

package struct CueAnchor: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
        self.x = min(max(x, 0), 1)
        self.y = min(max(y, 0), 1)
    }
}

/// How much of hostile texts is looked at.
package enum TextLimits {
    /// Bytes of one cue's text; what goes beyond is cut off.
    package static let cueBytes = 16 << 10
    /// Runs of one cue; later changes of style are ignored.
    package static let runs = 256
    /// Cues of one track.
    package static let cues = 200_000
    /// Bytes of a file.
    package static let fileBytes = 32 << 20
    /// The furthest time: a thousand hours, in milliseconds.
    package static let latest: Int64 = 3_600_000_000
    /// How long a cue without an end is shown at most, in milliseconds.
    package static let openEnd: Int64 = 5_000
}
