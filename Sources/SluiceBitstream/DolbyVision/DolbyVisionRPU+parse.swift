public import SluiceCore

extension DolbyVisionRPU {
    /// From a NAL unit: two bytes of header (7C 01), then the RPU with emulation prevention.
    ///
    /// Throws `.malformedInput` for other headers, cut off or damaged content, a wrong checksum and values out of
    /// range, `.unsupported` for syntax that is not published.
    public init(unit: UnsafeRawBufferPointer) throws(NodeFailure) {
        guard unit.starts(with: Self.unitHeader) else {
            throw NodeFailure(
                .malformedInput,
                "a unit of \(unit.count) bytes that starts \(Self.head(unit)); expected an RPU, 7C01 19")
        }
        self = try EmulationPrevention.removed(from: UnsafeRawBufferPointer(rebasing: unit.dropFirst(2)))
            .withBytes { (bytes) throws(NodeFailure) in try DolbyVisionRPU(payload: bytes) }
    }

    /// From a NAL unit held as bytes.
    public init(unit: [UInt8]) throws(NodeFailure) {
        self = try unit.withBytes { (bytes) throws(NodeFailure) in try DolbyVisionRPU(unit: bytes) }
    }

    /// From an RPU without NAL header and emulation prevention: from its prefix byte, 19, on.
    ///
    /// Throws as ``init(unit:)``. Zeros after the end are left out.
    public init(payload: UnsafeRawBufferPointer) throws(NodeFailure) {
        guard payload.first == Self.prefix else {
            throw NodeFailure(
                .malformedInput,
                "an RPU of \(payload.count) bytes that starts \(Self.head(payload)); expected 19")
        }
        try self.init(body: UnsafeRawBufferPointer(rebasing: payload.dropFirst()))
    }

    /// From an RPU held as bytes, without NAL header and emulation prevention.
    public init(payload: [UInt8]) throws(NodeFailure) {
        self = try payload.withBytes { (bytes) throws(NodeFailure) in try DolbyVisionRPU(payload: bytes) }
    }

    /// From the ITU-T T.35 message of an AV1 metadata unit, with or without its country code, B5.
    ///
    /// Throws as ``init(unit:)``, and `.malformedInput` for messages of other providers.
    public init(message: [UInt8]) throws(NodeFailure) {
        let body = try EMDFContainer.payload(of: message)
        self = try body.withBytes { (bytes) throws(NodeFailure) in try DolbyVisionRPU(body: bytes) }
    }

    /// Whether the payload of an AV1 metadata unit is a message that carries an RPU: its type, country and provider.
    public static func isMessage(metadata payload: Slice<UnsafeRawBufferPointer>) -> Bool {
        payload.starts(with: [4, 0xB5, 0x00, 0x3B, 0x00, 0x00, 0x08, 0x00])
    }

    /// The units of a byte stream with start codes, each read for itself: what ``list(_:)`` gives up at is a failure.
    public static func each(_ stream: [UInt8]) -> [Result<DolbyVisionRPU, NodeFailure>] {
        stream.withUnsafeBytes { bytes in
            AnnexBUnits(bytes).map { range in
                let unit = UnsafeRawBufferPointer(rebasing: bytes[range])
                do throws(NodeFailure) { return .success(try one(unit)) } catch { return .failure(error) }
            }
        }
    }

    /// From the prefix byte or from the NAL header on.
    private static func one(_ unit: UnsafeRawBufferPointer) throws(NodeFailure) -> DolbyVisionRPU {
        unit.first == Self.prefix
            ? try DolbyVisionRPU(payload: EmulationPrevention.removed(from: unit)) : try DolbyVisionRPU(unit: unit)
    }

    /// The RPUs of a byte stream with start codes, as files of extracted RPUs have them: each from its prefix byte
    /// or from its NAL header on, with emulation prevention.
    ///
    /// Throws as ``init(unit:)`` for the first unit that is no RPU, and `.malformedInput` where there is none.
    public static func list(_ stream: [UInt8]) throws(NodeFailure) -> [DolbyVisionRPU] {
        let list = try stream.withBytes { (bytes) throws(NodeFailure) in
            var list: [DolbyVisionRPU] = []
            for range in AnnexBUnits(bytes) {
                list.append(try one(UnsafeRawBufferPointer(rebasing: bytes[range])))
            }
            return list
        }
        guard !list.isEmpty else {
            throw NodeFailure(.malformedInput, "\(stream.count) bytes without a start code; expected 000001 and RPUs")
        }
        return list
    }

    /// What lies behind the prefix byte.
    private init(body: UnsafeRawBufferPointer) throws(NodeFailure) {
        let end = (body.lastIndex { $0 != 0 }).map { $0 + 1 } ?? 0
        guard end > 5, body[end - 1] == Self.terminator else {
            throw NodeFailure(
                .malformedInput, "an RPU of \(body.count) bytes without an end; expected a checksum and 80")
        }
        let content = UnsafeRawBufferPointer(rebasing: body[..<(end - 5)])
        let declared = body[(end - 5)..<(end - 1)].reduce(0) { $0 << 8 | UInt32($1) }
        let computed = MPEG2Checksum.of(content)
        guard declared == computed else {
            throw NodeFailure(
                .malformedInput,
                "RPU of \(content.count) bytes: checksum \(String(declared, radix: 16)); expected "
                    + String(computed, radix: 16))
        }
        var reader = RPUReader(content)
        header = try RPUHeader(&reader)
        let hasDisplay = try reader.flag("vdr_dm_metadata_present_flag")
        if try reader.flag("use_prev_vdr_rpu_flag") {
            source = .previous(try reader.unsigned("prev_vdr_rpu_id", in: 0...15))
        } else {
            source = .coded(try RPUMapping(&reader, header))
        }
        display = hasDisplay ? try RPUDisplay(&reader, header) : nil
        try reader.align("rpu_alignment_zero_bit")
        remainder = try reader.bytes(reader.remaining / 8, "rpu_data")
    }

    private static func head(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.isEmpty ? "nowhere" : bytes.prefix(3).map(hexPair).joined()
    }
}
