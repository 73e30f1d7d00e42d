import SluiceCore
import SluiceNodes

/// The name of a bridged rendition: which sound of the title, to which codec, and how far it is moved. Pure.
///
/// `audio-2-eac3` is the second sound in E-AC-3, `audio-2-eac3-p250` the same a quarter of a second later, `-m250` sooner.
/// Everything that its segments depend on is in it, so that the same address never has two contents.
struct BridgeName: Sendable, Hashable {
    /// Place among the title's sounds, from 1.
    var number: Int
    var codec: BridgeCodec
    var milliseconds = 0

    init(number: Int, codec: BridgeCodec, milliseconds: Int = 0) {
        self.number = number
        self.codec = codec
        self.milliseconds = milliseconds
    }

    var text: String {
        let moved = milliseconds == 0 ? "" : milliseconds > 0 ? "-p\(milliseconds)" : "-m\(-milliseconds)"
        return "audio-\(number)-\(codec.rawValue)\(moved)"
    }

    /// nil for what ``text`` never is.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0] == "audio", parts[1].utf8.count <= 4, let number = Int(parts[1]),
            number > 0, let codec = BridgeCodec(rawValue: String(parts[2]))
        else { return nil }
        var milliseconds = 0
        if parts.count == 4 {
            guard parts[3].utf8.count <= 5, let size = Int(parts[3].dropFirst()), size > 0,
                size <= SoundWish.longestDelay, parts[3].first == "p" || parts[3].first == "m"
            else { return nil }
            milliseconds = parts[3].first == "p" ? size : -size
        }
        self.init(number: number, codec: codec, milliseconds: milliseconds)
        // One name each: no signs, no leading zeros.
        guard self.text == text else { return nil }
    }
}

extension TitleFacts {
    /// The bridged sound of that name; nil where the title has none such.
    func bridged(_ name: BridgeName) -> BridgedSound? {
        let sounds = sounds
        guard sounds.indices.contains(name.number - 1), let format = format(sounds[name.number - 1]),
            BridgePolicy.refusal(format) == nil,
            let encoded = try? EncodedSound.look(BridgePolicy.settings(format, name.codec))
        else { return nil }
        return BridgedSound(
            stream: format.id, codec: name.codec, encoded: encoded, rendition: name.text,
            delay: .milliseconds(name.milliseconds))
    }

    /// The sound as it is bridged to a codec.
    func bridged(_ stream: StreamID, _ codec: BridgeCodec, delay: Duration = .zero) -> BridgedSound? {
        guard let place = sounds.firstIndex(of: stream) else { return nil }
        let milliseconds = Int(clamping: delay.nanoseconds / 1_000_000)
        return bridged(BridgeName(number: place + 1, codec: codec, milliseconds: milliseconds))
    }
}
