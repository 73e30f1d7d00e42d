import SluiceCore
import Testing

@testable import SluiceBitstream

@Suite struct DolbyVisionConversionTests {
    @Test func fullEnhancementLosesItsCurves() throws {
        let rpu = try SampleRPUs.full().converted(to: .profile81)
        #expect(rpu.profile == .profile8(.hdr10))
        #expect(rpu.header.isResidualDisabled && rpu.mapping == .identity(rpu.header))
        #expect(rpu.display?.signal?.toRGB == [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0])
        #expect(rpu.display?.signal?.colorSpace == 0)
        #expect(rpu.display?.blocks == SampleRPUs.full().display?.blocks)
    }

    @Test func minimalEnhancementKeepsItsCurves() throws {
        let rpu = try SampleRPUs.minimal().converted(to: .profile81)
        #expect(rpu.profile == .profile8(.hdr10))
        #expect(rpu.mapping?.curves == SampleRPUs.curves() && rpu.mapping?.residual == nil)
        let full = try SampleRPUs.full().converted(to: .profile81WithCurves)
        #expect(full.mapping?.curves == SampleRPUs.curves() && full.mapping?.residual == nil)
    }

    /// A factor of 1 is another bit pattern where coefficients are floating-point numbers.
    @Test func identityHoldsInFloatingPoint() throws {
        let rpu = try SampleRPUs.full(.float).converted(to: .profile81)
        let factors = [SampleRPUs.coefficient(0), SampleRPUs.coefficient(0, 0x3F80_0000)]
        #expect(rpu.mapping?.curves.map(\.pieces) == Array(repeating: [.polynomial(factors)], count: 3))
        #expect(rpu.profile == .profile8(.hdr10))
    }

    @Test func singleLayersGetANeutralEnhancement() throws {
        let rpu = try SampleRPUs.profile81().converted(to: .minimalEnhancement)
        #expect(rpu.profile == .profile7(.minimal))
        #expect(try SampleRPUs.full().converted(to: .minimalEnhancement).profile == .profile7(.minimal))
        #expect(try rpu.converted(to: .profile81) == SampleRPUs.profile81())
    }

    @Test func whatIsThereAlreadyStays() throws {
        for (_, rpu) in SampleRPUs.all { #expect(try rpu.converted(to: .lossless) == rpu) }
        #expect(try SampleRPUs.profile81().converted(to: .profile81) == SampleRPUs.profile81())
        #expect(try SampleRPUs.minimal().converted(to: .minimalEnhancement) == SampleRPUs.minimal())
    }

    /// A picture of a two-layer stream whose residual is switched off.
    @Test func aSecondLayerThatAddsNothingIsForgotten() throws {
        var rpu = SampleRPUs.profile81()
        rpu.header.hasEnhancementFilter = true
        #expect(rpu.profile == .profile8(.hdr10))
        #expect(try rpu.converted(to: .profile81) == SampleRPUs.profile81())
        rpu = SampleRPUs.profile5()
        rpu.header.isResidualDisabled = false
        #expect(rpu.profile == nil)
    }

    @Test func hlgCurvesComeFromAnyProfile() throws {
        for rpu in [SampleRPUs.full(), SampleRPUs.profile5(), SampleRPUs.profile81()] {
            let converted = try rpu.converted(to: .profile84)
            #expect(converted.profile == .profile8(.hlg) && converted.mapping == .hybridLogGamma)
        }
    }

    @Test func otherSourcesAreRefused() throws {
        let failure = #expect(throws: NodeFailure.self) { try SampleRPUs.profile5().converted(to: .profile81) }
        #expect(failure?.code == .unsupported)
        let found = "RPU of profile 5, 10 to 12 bits, compression 0: "
        #expect(failure?.message == found + "profile81 starts from profile 7 or 8, 10 to 12 bits")
        #expect(throws: NodeFailure.self) { try SampleRPUs.full().converted(to: .profile81FromProfile5) }
        #expect(throws: NodeFailure.self) { try SampleRPUs.profile5().converted(to: .minimalEnhancement) }
        var rpu = SampleRPUs.full()
        rpu.header.outputDepth = 14
        #expect(throws: NodeFailure.self) { try rpu.converted(to: .profile81) }
        rpu = SampleRPUs.full()
        rpu.header.baseDepth = 12
        #expect(throws: NodeFailure.self) { try rpu.converted(to: .profile81) }
        rpu.header.profile = 3
        for conversion in DolbyVisionConversion.allCases where conversion != .lossless {
            #expect(throws: NodeFailure.self) { try rpu.converted(to: conversion) }
        }
    }

    @Test func unitsAreConvertedOrLeftToTheByte() throws {
        let unit = SampleRPUs.full().unit
        let converted = try unit.withUnsafeBytes { try DolbyVisionRPU.convert(unit: $0, to: .profile81) }
        #expect(try DolbyVisionRPU(unit: converted).profile == .profile8(.hdr10))
        // Zeros after the end are not written, but not taken away either.
        let padded = SampleRPUs.profile81().unit + [0]
        #expect(try padded.withUnsafeBytes { try DolbyVisionRPU.convert(unit: $0, to: .profile81) } == padded)
    }
}

/// Behaviours MU-17, CR-28 and CR-29.
@Suite struct DolbyVisionSampleRewriterTests {
    private static let slice = hex("2601 AF09")
    private static let layer = hex("7E01 2601 80")

    private static func sample(_ units: [[UInt8]], lengths: Int? = 4) -> [UInt8] {
        var bytes: [UInt8] = []
        for unit in units {
            if let lengths {
                bytes += (0..<lengths).reversed().map { UInt8(truncatingIfNeeded: unit.count >> ($0 * 8)) }
            } else {
                bytes += [0, 0, 1]
            }
            bytes += unit
        }
        return bytes
    }

    @Test(arguments: [NALFraming.lengthPrefixed(4), .annexB])
    func layersGoAndRPUsAreConverted(framing: NALFraming) throws {
        let isStream = framing == .annexB
        let lengths = isStream ? nil : 4
        var rewriter = DolbyVisionSampleRewriter(to: .profile81)
        let source = Self.sample([Self.slice, Self.layer, SampleRPUs.full().unit, Self.layer], lengths: lengths)
        // A chunk that starts inside its storage.
        let chunk = ByteChunk([9, 9] + source, 2..<(source.count + 2))
        let out = rewriter.rewrite(chunk, framing: framing)?.joined()
        let kept = [Self.slice, try SampleRPUs.full().converted(to: .profile81).unit]
        // Start codes of three bytes become four.
        #expect(out == (isStream ? kept.reduce([]) { $0 + [0, 0, 0, 1] + $1 } : Self.sample(kept)))
        #expect(rewriter.convertedUnits == 1 && rewriter.enhancementUnits == 2 && rewriter.refusedUnits == 0)
        #expect(rewriter.profile == .profile7(.full))
    }

    @Test func aMinimalEnhancementKeepsItsLayer() throws {
        var rewriter = DolbyVisionSampleRewriter(to: .minimalEnhancement)
        let source = ByteChunk(Self.sample([Self.slice, Self.layer, SampleRPUs.full().unit]))
        let unit = try SampleRPUs.full().converted(to: .minimalEnhancement).unit
        let out = rewriter.rewrite(source, framing: .lengthPrefixed(4))?.joined()
        #expect(out == Self.sample([Self.slice, Self.layer, unit]) && rewriter.enhancementUnits == 0)
    }

    @Test func aFailingRPUIsLeftOutAndReported() throws {
        var rewriter = DolbyVisionSampleRewriter(to: .profile81)
        var damaged = SampleRPUs.full().unit
        damaged[30] ^= 1
        for unit in [damaged, SampleRPUs.profile5().unit] {
            let sample = ByteChunk(Self.sample([Self.slice, Self.layer, unit]))
            let out = rewriter.rewrite(sample, framing: .lengthPrefixed(4))
            #expect(out?.joined() == Self.sample([Self.slice]))
        }
        #expect(rewriter.refusedUnits == 2 && rewriter.enhancementUnits == 2 && rewriter.convertedUnits == 0)
        #expect(rewriter.failure?.code == .unsupported)
    }

    @Test func everythingElseStays() {
        var rewriter = DolbyVisionSampleRewriter(to: .profile81)
        let units = [Self.slice, Self.layer, SampleRPUs.full().unit]
        let plain = ByteChunk(Self.sample([Self.slice]))
        #expect(rewriter.rewrite(plain, framing: .lengthPrefixed(4)) == nil)
        #expect(rewriter.unreadableSamples == 0)
        // Another framing than declared, another length of lengths, and a sample that is cut off.
        #expect(rewriter.rewrite(ByteChunk(Self.sample(units)), framing: .annexB) == nil)
        #expect(rewriter.rewrite(ByteChunk(Self.sample(units, lengths: nil)), framing: .lengthPrefixed(4)) == nil)
        #expect(rewriter.rewrite(ByteChunk(Self.sample(units, lengths: 2)), framing: .lengthPrefixed(2)) == nil)
        #expect(rewriter.rewrite(ByteChunk(Self.sample(units).dropLast()), framing: .lengthPrefixed(4)) == nil)
        #expect(rewriter.unreadableSamples == 4 && rewriter.convertedUnits == 0)
        // Nothing would remain.
        #expect(rewriter.rewrite(ByteChunk(Self.sample([Self.layer])), framing: .lengthPrefixed(4)) == nil)
    }
}
