public import SluiceCore

/// An AVCDecoderConfigurationRecord: the payload of `avcC`.
///
/// - Note: ISO/IEC 14496-15 §5.3.3.1.
public struct AVCConfigurationRecord: Sendable, Hashable {
    public var profile: UInt8
    public var compatibility: UInt8
    public var level: UInt8
    /// Bytes before each NAL unit of a sample: 1, 2 or 4.
    public var lengthSize: Int
    /// Units without start code or length.
    public var sequenceSets: [[UInt8]]
    public var pictureSets: [[UInt8]]
    public var sequenceExtensions: [[UInt8]] = []
    /// Present for profiles above main.
    public var format: Format?

    /// The fields that high profiles append.
    public struct Format: Sendable, Hashable {
        public var chroma: UInt8
        public var bitDepthLuma: UInt8
        public var bitDepthChroma: UInt8
    }

    /// Parses a record.
    ///
    /// Throws `.malformedInput` for a version other than 1 and where a parameter set runs past the end. Records
    /// without sets are read: repair fills them.
    public init(_ record: [UInt8]) throws(NodeFailure) {
        let parsed = record.withUnsafeBytes { Self.parse($0) }
        guard let parsed else {
            throw NodeFailure(
                .malformedInput, "avcC of \(record.count) bytes; expected version 1 and whole parameter sets")
        }
        self = parsed
    }

    /// Builds a record for four-byte lengths from parameter sets.
    ///
    /// nil where either list is empty, holds more sets than a record can (31 and 255), a set beyond 65,535 bytes or a
    /// first SPS that cannot be parsed.
    public init?(sequenceSets: [[UInt8]], pictureSets: [[UInt8]], sequenceExtensions: [[UInt8]] = []) {
        guard let first = sequenceSets.first, let sps = H264SequenceParameters(first), !pictureSets.isEmpty,
            sequenceSets.count <= 31, pictureSets.count <= 255, sequenceExtensions.count <= 255,
            (sequenceSets + pictureSets + sequenceExtensions).allSatisfy({ $0.count <= 65_535 })
        else { return nil }
        profile = sps.profile
        compatibility = sps.constraints
        level = sps.level
        lengthSize = 4
        self.sequenceSets = sequenceSets
        self.pictureSets = pictureSets
        self.sequenceExtensions = sequenceExtensions
        if ![66, 77, 88].contains(sps.profile) {
            format = Format(
                chroma: UInt8(sps.chromaFormat), bitDepthLuma: UInt8(sps.bitDepthLuma),
                bitDepthChroma: UInt8(sps.bitDepthChroma))
        }
    }

    private init(profile: UInt8, compatibility: UInt8, level: UInt8, lengthSize: Int) {
        self.profile = profile
        self.compatibility = compatibility
        self.level = level
        self.lengthSize = lengthSize
        sequenceSets = []
        pictureSets = []
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> AVCConfigurationRecord? {
        var reader = ByteReader(bytes)
        guard reader.u8() == 1 else { return nil }
        var record = AVCConfigurationRecord(
            profile: reader.u8(), compatibility: reader.u8(), level: reader.u8(), lengthSize: Int(reader.u8() & 3) + 1)
        for _ in 0..<(reader.u8() & 0x1F) { record.sequenceSets.append(reader.copy(Int(reader.u16()))) }
        for _ in 0..<reader.u8() { record.pictureSets.append(reader.copy(Int(reader.u16()))) }
        guard !reader.overran else { return nil }
        // Many writers leave these out although the profile asks for them.
        if ![66, 77, 88].contains(record.profile), reader.remaining >= 4 {
            record.format = Format(
                chroma: reader.u8() & 3, bitDepthLuma: (reader.u8() & 7) + 8, bitDepthChroma: (reader.u8() & 7) + 8)
            for _ in 0..<reader.u8() {
                let unit = reader.copy(Int(reader.u16()))
                if reader.overran { break }
                record.sequenceExtensions.append(unit)
            }
        }
        return record
    }

    /// The record as bytes.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 64)
        writer.u8(1)
        writer.u8(profile)
        writer.u8(compatibility)
        writer.u8(level)
        writer.u8(0xFC | UInt8(truncatingIfNeeded: (lengthSize - 1) & 3))
        writer.u8(0xE0 | UInt8(min(sequenceSets.count, 31)))
        writer.units(sequenceSets.prefix(31))
        writer.u8(UInt8(min(pictureSets.count, 255)))
        writer.units(pictureSets.prefix(255))
        if let format {
            writer.u8(0xFC | format.chroma & 3)
            writer.u8(0xF8 | (format.bitDepthLuma &- 8) & 7)
            writer.u8(0xF8 | (format.bitDepthChroma &- 8) & 7)
            writer.u8(UInt8(min(sequenceExtensions.count, 255)))
            writer.units(sequenceExtensions.prefix(255))
        }
        return writer.bytes
    }

    /// The first sequence parameter set, parsed.
    public var sequence: H264SequenceParameters? { sequenceSets.first.flatMap { H264SequenceParameters($0) } }
}

extension BoxWriter {
    /// Units behind two-byte lengths; longer ones are cut, which no parser accepts and no builder lets through.
    fileprivate mutating func units(_ units: some Sequence<[UInt8]>) {
        for unit in units {
            u16(UInt16(clamping: unit.count))
            raw(unit.prefix(65_535))
        }
    }
}
