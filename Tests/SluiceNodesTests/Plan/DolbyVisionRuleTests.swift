import SluiceBitstream
import SluiceCore
import Testing

@testable import SluiceNodes

/// How Dolby Vision of every kind is served.
@Suite struct DolbyVisionRuleTests {
    private static let perceptual = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
    private static let logGamma = ColorDescription(primaries: 9, transfer: 18, matrix: 9)

    private func source(
        _ codec: CodecName, declared: (profile: Int, compatibility: Int)? = nil, rpu: DolbyVisionProfile? = nil,
        color: ColorDescription? = nil, level: Int = 6, isTenBit: Bool = true
    ) -> DolbyVisionRule.Source {
        let record = declared.map {
            DolbyVisionConfiguration(
                profile: $0.profile, level: level, hasMetadata: true, hasEnhancementLayer: $0.profile == 7,
                hasBaseLayer: true, compatibility: $0.compatibility)
        }
        return DolbyVisionRule.Source(
            codec: codec, declared: record, rpu: rpu, color: color, isTenBit: isTenBit, width: 3_840, height: 2_160,
            period: Timebase(hertz: 24))
    }

    /// What is served, in short: profile, compatibility, level and conversion; nil without a claim.
    private func served(_ source: DolbyVisionRule.Source, _ handling: DolbyVisionHandling = .auto) -> String? {
        DolbyVisionRule.service(source, handling)?.record.map { record in
            let conversion = DolbyVisionRule.service(source, handling)?.conversion.map { " " + $0.rawValue } ?? ""
            return "\(record.profile).\(record.compatibility) L\(record.level)\(conversion)"
        }
    }

    @Test func whatTheRecordSaysHoldsWhereNothingContradictsIt() {
        #expect(served(source("hevc", declared: (5, 0), rpu: .profile5)) == "5.0 L6")
        #expect(served(source("hevc", declared: (8, 1), rpu: .profile8(.hdr10), color: Self.perceptual)) == "8.1 L6")
        #expect(served(source("hevc", declared: (8, 4), rpu: .profile8(.hlg), color: Self.logGamma)) == "8.4 L6")
        #expect(served(source("av1", declared: (10, 0))) == "10.0 L6")
        #expect(served(source("av1", declared: (10, 1), color: Self.perceptual)) == "10.1 L6")
        #expect(served(source("av1", declared: (10, 4), color: Self.logGamma)) == "10.4 L6")
    }

    @Test func twoLayersBecomeOne() {
        #expect(served(source("hevc", declared: (7, 6), rpu: .profile7(.full))) == "8.1 L6 profile81")
        #expect(served(source("hevc", declared: (7, 6))) == "8.1 L6 profile81")
        // RPUs of profile 7 under a record of 8.1 are what players must never see.
        #expect(served(source("hevc", declared: (8, 1), rpu: .profile7(.minimal))) == "8.1 L6 profile81")
    }

    @Test func basesInStandardRangeAndUnknownProfilesAreServedWithoutAClaim() {
        for (codec, profile, compatibility) in [("hevc", 8, 2), ("av1", 10, 2), ("hevc", 4, 2), ("h264", 9, 2)] {
            let source = source(CodecName(rawValue: codec), declared: (profile, compatibility))
            let service = DolbyVisionRule.service(source)
            #expect(service != nil && service?.record == nil && service?.conversion == nil)
            #expect(service?.reason.contains("\(profile)") == true)
        }
    }

    @Test func compatibilitiesThatDoNotExistAreToldFromTheBase() {
        #expect(served(source("hevc", declared: (8, 6), color: Self.perceptual)) == "8.1 L6")
        #expect(served(source("hevc", declared: (8, 0), color: Self.logGamma)) == "8.4 L6")
        #expect(served(source("hevc", declared: (8, 3))) == "8.1 L6")
        #expect(served(source("av1", declared: (10, 0), color: Self.perceptual)) == "10.1 L6")
    }

    @Test func aRecordOfProfile5OverAnotherPictureIsCorrected() {
        let seven = source("hevc", declared: (5, 0), rpu: .profile7(.full), color: Self.perceptual)
        #expect(served(seven) == "8.1 L6 profile81")
        #expect(served(source("hevc", declared: (5, 0), rpu: .profile8(nil), color: Self.logGamma)) == "8.4 L6")
        // RPUs that agree, cannot be read, or pictures that name no colour: the record stands.
        #expect(served(source("hevc", declared: (5, 0), rpu: .profile5, color: Self.perceptual)) == "5.0 L6")
        #expect(served(source("hevc", declared: (5, 0), rpu: nil, color: Self.perceptual)) == "5.0 L6")
        #expect(served(source("hevc", declared: (5, 0), rpu: .profile8(.hdr10), color: nil)) == "5.0 L6")
    }

    @Test func rpusWithoutARecordSpeakForThemselves() {
        #expect(served(source("hevc", rpu: .profile5)) == "5.0 L6")
        #expect(served(source("hevc", rpu: .profile5, color: Self.perceptual)) == nil)
        #expect(served(source("hevc", rpu: .profile5, isTenBit: false)) == nil)
        #expect(served(source("hevc", rpu: .profile8(.hdr10), color: Self.perceptual)) == "8.1 L6")
        #expect(served(source("hevc", rpu: .profile7(.full), color: Self.perceptual)) == "8.1 L6 profile81")
        #expect(DolbyVisionRule.service(source("hevc")) == nil)
        #expect(DolbyVisionRule.service(source("vp9", declared: (10, 1))) == nil)
    }

    @Test func theBaseIsServedAloneWhereThereIsOne() {
        #expect(served(source("hevc", declared: (8, 1), color: Self.perceptual), .base) == nil)
        #expect(served(source("hevc", declared: (7, 6), color: Self.perceptual), .base) == nil)
        #expect(served(source("hevc", declared: (5, 0), color: Self.perceptual), .base) == nil)
        // The picture of a genuine profile 5 is no YCbCr.
        #expect(served(source("hevc", declared: (5, 0), rpu: .profile5), .base) == "5.0 L6")
        #expect(served(source("av1", declared: (10, 0)), .base) == "10.0 L6")
    }

    @Test func profile81IsDeclaredAs5WhereAsked() {
        #expect(served(source("hevc", declared: (8, 1), color: Self.perceptual), .force) == "5.0 L6")
        #expect(served(source("hevc", declared: (7, 6)), .force) == "5.0 L6 profile81")
        // A base layer in HLG contradicts profile 5.
        #expect(served(source("hevc", declared: (8, 4), color: Self.logGamma), .force) == "8.4 L6")
        #expect(served(source("av1", declared: (10, 1)), .force) == "10.1 L6")
    }

    /// What was asked for and cannot be is said.
    @Test func whatIsNotDoneIsNamed() {
        let alone = DolbyVisionRule.service(source("hevc", declared: (5, 0), rpu: .profile5), .base)
        #expect(alone?.reason.contains("base layer alone was asked for, but there is none") == true)
        let open = DolbyVisionRule.service(source("av1", declared: (10, 0)), .base)
        #expect(open?.reason.contains("there is none") == true)
        let other = DolbyVisionRule.service(source("hevc", declared: (8, 4), color: Self.logGamma), .force)
        #expect(other?.reason.contains("only 8.1 can be declared as 5") == true)
    }

    /// RPUs of profile 7 over a base in HLG: what is left is 8.4.
    @Test func aBaseInHybridLogGammaIsNeverDeclaredAs81() {
        let found = served(source("hevc", declared: (8, 4), rpu: .profile7(.minimal), color: Self.logGamma))
        #expect(found == "8.4 L6 profile81")
    }

    /// Bytes that are not served do not count: two units of a layer of three and four bytes, with their lengths.
    @Test func unitsOfALayerAreMeasured() {
        let sample: [UInt8] = [
            0, 0, 0, 3, 0x02, 0x01, 0x80, 0, 0, 0, 3, 0x7E, 0x01, 9, 0, 0, 0, 4, 0x7E, 0x01, 9, 9, 0, 0, 0, 3, 0x7C, 1,
            9,
        ]
        let count = sample.withUnsafeBytes { EnhancementRule.layerBytes($0, .lengthPrefixed(4)) }
        #expect(count == 15)
    }

    @Test func levelsComeFromTheRecordElseFromTheSize() {
        #expect(served(source("hevc", declared: (8, 1), level: 9)) == "8.1 L9")
        #expect(served(source("hevc", declared: (8, 1), level: 0)) == "8.1 L6")
        var small = source("hevc", rpu: .profile5)
        (small.width, small.height) = (1_920, 1_080)
        #expect(served(small) == "5.0 L3")
        small.width = 0
        #expect(served(small) == "5.0 L6")
    }
}
