import SluiceCore

/// A block of display management metadata: what one level says about a picture.
///
/// Levels that ``RPUMetadataLayout`` lists are read field by field; others are kept as bytes, because a level that
/// came after this was written is no reason to lose the picture's RPU.
struct RPUMetadataBlock: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// Values of the fields of the layout, in its order.
        case fields(RPUMetadataLayout, [UInt32])
        case bytes([UInt8])
    }

    let level: UInt8
    let content: Content

    /// Blocks of one list; real ones hold up to about 15.
    static let limit: UInt32 = 32

    /// A block of a level without a layout.
    init(level: UInt8, bytes: [UInt8]) {
        self.level = level
        content = .bytes(bytes)
    }

    /// nil where the level has no layout of so many fields.
    init?(level: UInt8, _ values: [UInt32]) {
        guard let layout = RPUMetadataLayout.of(level: level).first(where: { $0.fields.count == values.count }) else {
            return nil
        }
        self.level = level
        content = .fields(layout, values)
    }

    /// The value of a field of the layout; nil where it has none of that name.
    subscript(_ field: String) -> UInt32? {
        guard case .fields(let layout, let values) = content else { return nil }
        return zip(layout.fields, values).first { "\($0.0.name)" == field }?.1
    }
}

extension RPUMetadataBlock {
    static func list(
        _ reader: inout RPUReader, _ version: RPUMetadataLayout.Version
    ) throws(NodeFailure) -> [RPUMetadataBlock] {
        let count = try reader.unsigned("num_ext_blocks", in: 0...limit)
        try reader.align("dm_alignment_zero_bit")
        var list: [RPUMetadataBlock] = []
        for _ in 0..<count { list.append(try RPUMetadataBlock(&reader, version)) }
        return list
    }

    init(_ reader: inout RPUReader, _ version: RPUMetadataLayout.Version) throws(NodeFailure) {
        let length = Int(try reader.unsigned("ext_block_length", in: 0...0xFFFF))
        level = UInt8(try reader.number(8, "ext_block_level"))
        let layouts = RPUMetadataLayout.of(level: level)
        guard let first = layouts.first else {
            content = .bytes(try reader.bytes(length, "ext_dm_data_block"))
            return
        }
        guard first.version == version else {
            throw reader.failure("level \(level) in the list of \(version); expected it in that of \(first.version)")
        }
        guard let layout = layouts.first(where: { $0.length == length }) else {
            let lengths = layouts.map { "\($0.length)" }.joined(separator: ", ")
            throw reader.failure("level \(level) of \(length) bytes; expected \(lengths)")
        }
        var values: [UInt32] = []
        for field in layout.fields { values.append(try reader.number(field.width, field.name)) }
        _ = try reader.number(layout.padding, "ext_dm_alignment_zero_bit", in: 0...0)
        content = .fields(layout, values)
    }

    static func write(_ list: [RPUMetadataBlock], to bits: inout BitWriter) {
        bits.ue(UInt32(clamping: list.count))
        bits.align()
        for block in list {
            switch block.content {
            case .fields(let layout, let values):
                bits.ue(UInt32(clamping: layout.length))
                bits.u(UInt32(block.level), 8)
                for (field, value) in zip(layout.fields, values) { bits.u(value, field.width) }
                bits.u(0, layout.padding)
            case .bytes(let bytes):
                bits.ue(UInt32(clamping: bytes.count))
                bits.u(UInt32(block.level), 8)
                bits.raw(bytes)
            }
        }
    }
}
