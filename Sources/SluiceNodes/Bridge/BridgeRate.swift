import SluiceAV
import SluiceBitstream
import SluiceCore

/// What bridged segments weigh before they are made: bounds that their bytes never exceed. Pure.
public enum BridgeRate {
    /// Bytes that a fragment adds, and each of its samples.
    private static let fragmentOverhead: Int64 = 256
    private static let sampleOverhead: Int64 = 16
    /// What a coder of a constant average may take of a second beyond it.
    private static let variation = (numerator: Int64(5), denominator: Int64(4))

    /// Bytes of each segment at most.
    public static func bytes(_ sound: EncodedSound, _ plan: TitlePlan) -> [Int64] {
        let frame = frameBytes(sound)
        return BridgeTimeline(sound, plan).counts.map { Int64($0) &* (frame &+ sampleOverhead) &+ fragmentOverhead }
    }

    /// Bits a second at most.
    public static func highest(_ sound: EncodedSound) -> Int {
        let rate = Int64(max(1, sound.settings.sampleRate))
        let bytes = (frameBytes(sound) &+ sampleOverhead) &* 8
        return Int(bytes.scaled(by: rate, over: Int64(max(1, sound.frameSize)), rounding: .up)) + 8_192
    }

    private static func frameBytes(_ sound: EncodedSound) -> Int64 {
        let (settings, samples) = (sound.settings, Int64(max(1, sound.frameSize)))
        guard settings.bitRate > 0 else {
            // FLAC that finds nothing to save keeps the samples as they are.
            let width = Int64(max(8, settings.bitsPerSample)) &* Int64(max(1, sound.entry.channels))
            return (samples &* width) / 8 &+ 32 &+ 4 &* Int64(sound.entry.channels)
        }
        let average = samples.scaled(
            by: Int64(settings.bitRate), over: 8 &* Int64(max(1, settings.sampleRate)), rounding: .up)
        guard settings.codec == "aac" else { return average }
        return average.scaled(by: variation.numerator, over: variation.denominator, rounding: .up)
    }
}
