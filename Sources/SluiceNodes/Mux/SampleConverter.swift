import SluiceAV
import SluiceBitstream
import SluiceCore

/// One sample as a fragment carries it.
struct ConvertedSample {
    var chunks: [ByteChunk]
    /// Exact length in ticks of the track; nil where every sample of the track lasts the same.
    var length: Int64?
    /// Whether decoding can begin here, as the units say; nil where the packet's mark counts. A recovery point is none:
    /// it opens a segment where there is nothing better, but is not marked within one.
    var isSync: Bool?
    /// The chain of its units ends in one that is not whole, which is left out.
    var isCut = false
}

/// Turns the packets of a stream into samples without copying their bytes. Pure but for what it counts of RPUs.
struct SampleConverter: Sendable {
    enum Rule: Sendable {
        case whole
        /// NAL units; nil measures each packet.
        case units(NALFraming?, lengthSize: Int, isHEVC: Bool)
        case adts
        case ac3
        case eac3
        case obus
        /// Lengths are read from the frames.
        case opus(timescale: Int64)
        case flac(timescale: Int64, rate: Int64)
        case alac(timescale: Int64, rate: Int64, frame: Int)
    }

    let rule: Rule
    /// Parameter sets that the sample entry holds, without trailing zeros.
    private let known: [[UInt8]]
    /// Nil where there is no Dolby Vision, as far as is known.
    private(set) var rewriter: DolbyVisionSampleRewriter?
    /// Dolby Vision metadata of AV1 and AVC goes: nothing claims it.
    private(set) var isStripping = false
    /// Units of it that were left out.
    var strippedUnits = 0

    /// - Parameter entry: the sample entry under which the samples will be read.
    init(_ facts: TitleFacts, _ format: StreamFormat, entry: SampleEntry) {
        var known: [[UInt8]] = []
        let timescale = Int64(facts.clocks[format.id]?.timescale ?? 1)
        switch entry {
        case .video(let video):
            switch video.codec {
            case .avc(let record):
                rule = .units(facts.framings[format.id], lengthSize: FirstUnitRule.lengthSize(format), isHEVC: false)
                if let record = try? AVCConfigurationRecord(record) {
                    known = record.sequenceSets + record.pictureSets + record.sequenceExtensions
                }
            case .hevc(let record):
                rule = .units(facts.framings[format.id], lengthSize: FirstUnitRule.lengthSize(format), isHEVC: true)
                if let record = try? HEVCConfigurationRecord(record) { known = record.arrays.flatMap(\.units) }
                rewriter = TrackFactory.dolbyVision(facts, format.id).map(Self.rewriter)
            case .av1: rule = .obus
            case .vp9: rule = .whole
            }
            isStripping = TrackFactory.dolbyVision(facts, format.id).map { $0.record == nil } ?? false
        case .audio(let audio):
            switch audio.codec {
            case .mp4a: rule = facts.firstUnits[format.id].flatMap { ADTSHeader($0) } != nil ? .adts : .whole
            case .ac3: rule = .ac3
            case .eac3: rule = .eac3
            case .opus: rule = .opus(timescale: timescale)
            case .flac: rule = .flac(timescale: timescale, rate: Int64(max(1, audio.sampleRate)))
            case .alac(let cookie):
                let frame = ALACConfiguration(cookie)?.frameSamples ?? 0
                rule = .alac(timescale: timescale, rate: Int64(max(1, audio.sampleRate)), frame: frame)
            case .mpeg: rule = .whole
            }
        }
        self.known = known.map { set in Array(set.prefix(Self.lengthWithoutZeros(set.count) { set[$0] })) }
    }

    /// Whether anything of Dolby Vision is looked for.
    var readsVision: Bool { rewriter != nil || isStripping }

    /// Under a record that is copied RPUs are looked at all the same: one that cannot be read is worse than none.
    private static func rewriter(_ service: DolbyVisionService) -> DolbyVisionSampleRewriter {
        if let conversion = service.conversion { return DolbyVisionSampleRewriter(to: conversion) }
        return DolbyVisionSampleRewriter(isStripping: service.record == nil)
    }

    /// Empty where the packet holds nothing to decode.
    mutating func samples(of packet: Packet) -> [ConvertedSample] {
        let whole = ByteChunk(packet)
        switch rule {
        case .whole: return [ConvertedSample(chunks: [whole])]
        case .units(let framing, let lengthSize, let isHEVC):
            let (chunks, isSync, isCut) = units(
                whole, framing, lengthSize, isHEVC, isRest: packet.continuesPicture)
            return chunks.isEmpty ? [] : [ConvertedSample(chunks: chunks, isSync: isSync, isCut: isCut)]
        case .adts: return split(whole) { ADTSHeader.payloads(in: $0) }
        case .ac3: return split(whole, Self.ac3Frames)
        case .eac3: return split(whole, Self.eac3Units)
        case .obus: return temporalUnit(whole)
        case .opus(let timescale):
            return Self.counted(whole, packet.withUnsafeBytes { OpusPacket.samples($0) }, timescale, 48_000)
        case .alac(let timescale, let rate, let frame):
            let samples = packet.withUnsafeBytes { SampleLength.alacSamples($0, whole: frame) }
            return Self.counted(whole, samples, timescale, rate)
        case .flac(let timescale, let rate):
            return Self.counted(whole, packet.withUnsafeBytes { SampleLength.flacSamples($0) }, timescale, rate)
        }
    }

    /// A frame that says itself how many samples it holds.
    private static func counted(
        _ whole: ByteChunk, _ samples: Int?, _ timescale: Int64, _ rate: Int64
    ) -> [ConvertedSample] {
        [ConvertedSample(chunks: [whole], length: samples.map { Int64($0).scaled(by: timescale, over: rate) })]
    }

    /// The rest of a picture, as it goes behind what came of the packets before.
    func rest(_ sample: TimedSample, _ packet: Packet) -> TimedSample {
        guard case .whole = rule else { return sample }
        var sample = sample
        sample.frameSizes = packet.withUnsafeBytes { VP9Superframe.sizes($0) }
        // The index of the frames behind the first counts for itself only.
        let whole = ByteChunk(packet)
        let length = min(sample.frameSizes.reduce(0, &+), whole.range.count)
        sample.chunks = [ByteChunk(whole.storage, whole.range.lowerBound..<(whole.range.lowerBound + length))]
        return sample
    }

    // MARK: - NAL units

    private mutating func units(
        _ chunk: ByteChunk, _ framing: NALFraming?, _ lengthSize: Int, _ isHEVC: Bool, isRest: Bool
    ) -> ([ByteChunk], isSync: Bool, isCut: Bool) {
        chunk.withUnsafeBytes { bytes in
            guard let framing = framing ?? NALFraming.measure(bytes, lengthSize: lengthSize) else {
                return ([], false, false)
            }
            var hasSlice = false
            var isSync = false
            var isPlain = framing == .lengthPrefixed(4)
            var end = 0
            var replaced: [Range<Int>: [UInt8]] = [:]
            let kept = framing.units(of: bytes).filter { unit in
                end = unit.upperBound
                // `forbidden_zero_bit`: what is no unit ends no chain.
                guard bytes[unit.lowerBound] & 0x80 == 0 else {
                    isPlain = false
                    return false
                }
                let isSet: Bool
                if isHEVC {
                    let type = HEVCUnitType(header: bytes[unit.lowerBound])
                    hasSlice = hasSlice || type.isSlice
                    isSync = isSync || type.isIRAP
                    isSet = type.isParameterSet
                    switch rewriter?.verdict(UnsafeRawBufferPointer(rebasing: bytes[unit])) {
                    case .drop:
                        isPlain = false
                        return false
                    case .replace(let other):
                        isPlain = false
                        replaced[unit] = other
                    case .keep, nil: break
                    }
                } else {
                    let type = H264UnitType(header: bytes[unit.lowerBound])
                    hasSlice = hasSlice || type.isSlice
                    isSync = isSync || type == .idr
                    isSet = type.isParameterSet
                    if isStripping, [.dolbyRPU, .dolbyEnhancement].contains(type) {
                        strippedUnits += 1
                        isPlain = false
                        return false
                    }
                }
                guard isSet, isKnown(bytes, unit) else { return true }
                isPlain = false
                return false
            }
            guard hasSlice || isRest else { return ([], false, false) }
            if isPlain, end == bytes.count { return ([chunk], isSync, false) }
            // Start codes say of no unit where it ends.
            let isCut = framing != .annexB && end < bytes.count
            let isPrefixed = framing == .lengthPrefixed(4)
            guard !replaced.isEmpty else { return (Self.prefixed(chunk, kept, isPrefixed: isPrefixed), isSync, isCut) }
            var chunks: [ByteChunk] = []
            var run: [Range<Int>] = []
            for unit in kept {
                guard let other = replaced[unit] else {
                    run.append(unit)
                    continue
                }
                chunks += Self.prefixed(chunk, run, isPrefixed: isPrefixed)
                run = []
                chunks.append(ByteChunk(NALFraming.lengthPrefixed(4).lead(other.count) + other))
            }
            return (chunks + Self.prefixed(chunk, run, isPrefixed: isPrefixed), isSync, isCut)
        }
    }

    /// Units behind four-byte lengths. Lengths that are there already are used; neighbours stay one chunk.
    private static func prefixed(_ chunk: ByteChunk, _ units: [Range<Int>], isPrefixed: Bool) -> [ByteChunk] {
        let base = chunk.range.lowerBound
        var chunks: [ByteChunk] = []
        if isPrefixed {
            var runs: [Range<Int>] = []
            for unit in units {
                let whole = (unit.lowerBound - 4)..<unit.upperBound
                if let last = runs.last, last.upperBound == whole.lowerBound {
                    runs[runs.count - 1] = last.lowerBound..<whole.upperBound
                } else {
                    runs.append(whole)
                }
            }
            return runs.map { ByteChunk(chunk.storage, (base + $0.lowerBound)..<(base + $0.upperBound)) }
        }
        var lengths: [UInt8] = []
        lengths.reserveCapacity(units.count * 4)
        for unit in units { lengths += NALFraming.lengthPrefixed(4).lead(unit.count) }
        for (index, unit) in units.enumerated() {
            chunks.append(ByteChunk(lengths, (index * 4)..<(index * 4 + 4)))
            chunks.append(ByteChunk(chunk.storage, (base + unit.lowerBound)..<(base + unit.upperBound)))
        }
        return chunks
    }

    private func isKnown(_ bytes: UnsafeRawBufferPointer, _ unit: Range<Int>) -> Bool {
        let count = Self.lengthWithoutZeros(unit.count) { bytes[unit.lowerBound + $0] }
        let set = UnsafeRawBufferPointer(rebasing: bytes[unit.lowerBound..<(unit.lowerBound + count)])
        return known.contains { $0.count == count && $0.elementsEqual(set) }
    }

    private static func lengthWithoutZeros(_ count: Int, _ byte: (Int) -> UInt8) -> Int {
        var count = count
        while count > 0, byte(count - 1) == 0 { count -= 1 }
        return count
    }
}
