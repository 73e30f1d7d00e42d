public import SluiceCore

/// Turns the samples of an HEVC track into those of another Dolby Vision profile, unit by unit.
///
/// Enhancement layer units are left out, RPUs are converted, and an RPU that cannot be is left out as well: one of
/// profile 7 under a record of profile 8.1 is worse than none. Everything else stays where it is, uncopied. Only
/// ``DolbyVisionConversion/minimalEnhancement`` keeps the enhancement layer, which its result has to have.
public struct DolbyVisionSampleRewriter: Sendable {
    public let conversion: DolbyVisionConversion
    /// Whether RPUs go, too, and nothing but the base layer stays.
    public let isStripping: Bool
    /// Units of type 62 that were converted.
    public private(set) var convertedUnits = 0
    /// Units of type 62 that the conversion had nothing to change in.
    public private(set) var unchangedUnits = 0
    /// Units of type 62 that were left out because nobody asked for them.
    public private(set) var removedUnits = 0
    /// Units of type 62 that were left out because they could not be read or converted.
    public private(set) var refusedUnits = 0
    /// Units of type 63 that were left out.
    public private(set) var enhancementUnits = 0
    /// Samples that were left as they are because their framing does not hold.
    public private(set) var unreadableSamples = 0
    /// Profile of the first RPU that could be read, before conversion.
    public private(set) var profile: DolbyVisionProfile?
    /// Why an RPU was left out: the latest one.
    public private(set) var failure: NodeFailure?

    /// - Parameter conversion: `.lossless` checks the RPUs and drops the enhancement layer.
    public init(to conversion: DolbyVisionConversion) {
        self.conversion = conversion
        isStripping = false
    }

    /// - Parameter isStripping: true leaves the base layer alone; false is as `to: .lossless`.
    public init(isStripping: Bool) {
        conversion = .lossless
        self.isStripping = isStripping
    }

    /// The sample rewritten; nil where it stays as it is.
    ///
    /// It stays where it holds neither RPU nor enhancement layer, where nothing else would remain, and where the
    /// framing does not hold to the last byte. Lengths of other than four bytes are left alone. Units of a byte
    /// stream come out with start codes of four bytes.
    public mutating func rewrite(_ sample: ByteChunk, framing: NALFraming) -> [ByteChunk]? {
        let units = sample.withUnsafeBytes { bytes in Self.units(of: bytes, framing: framing) }
        guard let units else {
            unreadableSamples += 1
            return nil
        }
        let types = sample.withUnsafeBytes { bytes in units.map { HEVCUnitType(header: bytes[$0.lowerBound]) } }
        guard types.contains(where: { $0 == .dolbyRPU || $0 == .dolbyEnhancement }) else { return nil }
        var kept: [ByteChunk] = []
        let start = sample.range.lowerBound
        for unit in units {
            let whole = ByteChunk(sample.storage, (start + unit.lowerBound)..<(start + unit.upperBound))
            switch whole.withUnsafeBytes({ verdict($0) }) {
            case .keep: kept.append(whole)
            case .drop: break
            case .replace(let bytes): kept.append(ByteChunk(bytes))
            }
        }
        guard !kept.isEmpty else { return nil }
        return kept.flatMap { unit in [ByteChunk(framing.lead(unit.count)), unit] }
    }

    /// What becomes of a unit.
    public enum Verdict: Sendable, Hashable {
        case keep
        case drop
        /// With other bytes, from the NAL header on.
        case replace([UInt8])
    }

    /// - Parameter unit: from the NAL header on, without start code or length.
    public mutating func verdict(_ unit: UnsafeRawBufferPointer) -> Verdict {
        guard let first = unit.first else { return .keep }
        switch HEVCUnitType(header: first) {
        case .dolbyEnhancement where conversion != .minimalEnhancement:
            enhancementUnits += 1
            return .drop
        case .dolbyRPU where isStripping:
            removedUnits += 1
            return .drop
        case .dolbyRPU: return convert(unit)
        default: return .keep
        }
    }

    private mutating func convert(_ unit: UnsafeRawBufferPointer) -> Verdict {
        do throws(NodeFailure) {
            let rpu = try DolbyVisionRPU(unit: unit)
            if profile == nil { profile = rpu.profile }
            let converted = try rpu.converted(to: conversion)
            guard converted != rpu else {
                unchangedUnits += 1
                return .keep
            }
            convertedUnits += 1
            return .replace(converted.unit)
        } catch {
            // Whole, but of a kind that is not known here: players may know it.
            if conversion == .lossless, error.code == .unsupported {
                unchangedUnits += 1
                return .keep
            }
            refusedUnits += 1
            failure = error
            return .drop
        }
    }

    private static func units(of bytes: UnsafeRawBufferPointer, framing: NALFraming) -> [Range<Int>]? {
        switch framing {
        case .annexB: AnnexBUnits.hasStartCode(bytes) ? Array(AnnexBUnits(bytes)) : nil
        case .lengthPrefixed(4): LengthPrefixedUnits.fills(bytes) ? Array(LengthPrefixedUnits(bytes)) : nil
        case .lengthPrefixed: nil
        }
    }
}
