/// One block of override tags of ASS: what stands between braces, or nothing.
///
/// - Note: the tags as Aegisub and VSFilter know them; behaviours SB-25 to SB-27.
struct ASSOverrides {
    private enum Change {
        case bold(Bool), italic(Bool), underline(Bool)
        /// nil goes back to the style's.
        case color(TextColor?)
        case reset
    }

    private var changes: [Change] = []
    /// Keypad position of the whole cue; nil where the block says none.
    private(set) var alignment: Int?
    /// Point in the script's own pixels.
    private(set) var position: (x: Double, y: Double)?
    /// Scale of the drawing that follows; 0 ends one; nil where the block says nothing.
    private(set) var drawing: Int?
    /// Style that `\r` names.
    private(set) var resetStyle: String?

    /// Tags of one block that are looked at.
    private static let limit = 64

    /// - Parameter bytes: from the first backslash on, without the braces.
    init(_ bytes: ArraySlice<UInt8>) {
        var count = 0
        for part in bytes.split(separator: UInt8(ascii: "\\")) {
            count += 1
            guard count <= Self.limit else { break }
            take(part)
        }
    }

    private mutating func take(_ part: ArraySlice<UInt8>) {
        let name = part.prefix {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x34).contains($0)
        }
        let text = String(decoding: part, as: UTF8.self).trimmed
        let word = String(decoding: name, as: UTF8.self)
        func flag(_ skip: Int) -> Int? { text.count == skip ? nil : Int(text.dropFirst(skip).trimmed) }
        if word.hasPrefix("pos"), let point = Self.point(text.dropFirst(3)) {
            if position == nil { position = point }
        } else if word.hasPrefix("move"), let point = Self.point(text.dropFirst(4)) {
            if position == nil { position = point }
        } else if text.hasPrefix("an") {
            if alignment == nil, let value = flag(2), (1...9).contains(value) { alignment = value }
        } else if word.isLetters(upTo: "a"), let value = flag(1) {
            if alignment == nil { alignment = Self.legacy(value) }
        } else if word.isLetters(upTo: "b"), text.isNumber(after: 1) {
            changes.append(.bold(flag(1).map { $0 == 1 || $0 >= 600 } ?? false))
        } else if word.isLetters(upTo: "i"), text.isNumber(after: 1) {
            changes.append(.italic(flag(1) == 1))
        } else if word.isLetters(upTo: "u"), text.isNumber(after: 1) {
            changes.append(.underline(flag(1) == 1))
        } else if word.isLetters(upTo: "p"), text.isNumber(after: 1) {
            drawing = max(0, flag(1) ?? 0)
        } else if text.hasPrefix("1c") || (text.hasPrefix("c") && !text.hasPrefix("clip")) {
            changes.append(.color(Self.color(text.drop { $0 == "1" }.dropFirst())))
        } else if text.first == "r", !["rnd"].contains(where: { text.hasPrefix($0) }) {
            changes.append(.reset)
            let named = text.dropFirst().trimmed
            resetStyle = named.isEmpty ? nil : named
        }
    }

    /// Applies the block to a style; `base` is what resets lead back to.
    func apply(to style: inout TextStyle, base: TextStyle) {
        for change in changes {
            switch change {
            case .bold(let isOn): style.isBold = isOn
            case .italic(let isOn): style.isItalic = isOn
            case .underline(let isOn): style.isUnderlined = isOn
            case .color(let color): style.color = color ?? base.color
            case .reset: style = base
            }
        }
    }

    /// `&HBBGGRR&`, with or without its marks; nil for anything else.
    static func color(_ text: some StringProtocol) -> TextColor? {
        var digits = text.trimmed.uppercased()[...]
        while digits.first == "&" || digits.first == "H" { digits.removeFirst() }
        while digits.last == "&" { digits.removeLast() }
        guard !digits.isEmpty, digits.utf8.count <= 8, let value = UInt32(digits, radix: 16) else { return nil }
        return TextColor(UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value >> 16 & 0xFF))
    }

    /// The numbers of SSA: 1 to 3 below, 5 to 7 above, 9 to 11 in the middle.
    static func legacy(_ value: Int) -> Int? {
        switch value {
        case 1...3: value
        case 5...7: value + 2
        case 9...11: value - 5
        default: nil
        }
    }

    private static func point(_ text: some StringProtocol) -> (x: Double, y: Double)? {
        let inside = text.trimmed.drop { $0 == "(" }.prefix { $0 != ")" }
        let parts = inside.split(separator: ",").prefix(2).compactMap { Double($0.trimmed) }
        guard parts.count == 2, parts.allSatisfy(\.isFinite) else { return nil }
        return (parts[0], parts[1])
    }
}

extension String {
    /// Whether the letters are this very name; digits of a value may follow.
    fileprivate func isLetters(upTo name: String) -> Bool {
        hasPrefix(name) && dropFirst(name.count).utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether nothing or a number follows the first characters.
    fileprivate func isNumber(after count: Int) -> Bool {
        let rest = dropFirst(count).trimmed
        return rest.isEmpty || Int(rest) != nil
    }
}
