/// Appends big-endian fields and nested boxes; the size of a box is filled in when its body is complete.
///
/// - Note: ISO/IEC 14496-12 §4.2.
public struct BoxWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// Reserves room for `capacity` bytes.
    public init(capacity: Int = 256) { bytes.reserveCapacity(max(0, capacity)) }

    /// Writes a box around what `body` writes.
    ///
    /// A box of 4 GiB or more cannot be written this way; media data has its own header (``FragmentBuilder``).
    public mutating func box(_ type: FourCC, _ body: (inout BoxWriter) -> Void) {
        let start = bytes.count
        u32(0)
        fourCC(type)
        body(&self)
        patch(UInt32(clamping: bytes.count - start), at: start)
    }

    /// Writes a box that starts with a version and 24 bits of flags.
    public mutating func fullBox(
        _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout BoxWriter) -> Void
    ) {
        box(type) { writer in
            writer.u32(UInt32(version) << 24 | (flags & 0xFF_FFFF))
            body(&writer)
        }
    }

    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    public mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// The low 24 bits of `value`.
    public mutating func u24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    public mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    public mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }

    public mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value >> 32))
        u32(UInt32(truncatingIfNeeded: value))
    }

    public mutating func fourCC(_ code: FourCC) { u32(code.rawValue) }

    public mutating func raw(_ content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }

    public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: max(0, count))) }

    /// UTF-8 text with a terminating zero.
    public mutating func cString(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    /// Replaces four bytes written before; `offset` must lie within ``bytes``.
    mutating func patch(_ value: UInt32, at offset: Int) {
        guard offset >= 0, offset + 4 <= bytes.count else { return }
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    }
}
