import SluiceCore

/// Facts and plan as bytes. Compact, exact, and refused as a whole where anything does not fit.
enum PlanArchive {
    /// Raised whenever the layout or the meaning of a field changes.
    static let version: UInt64 = 9

    static func encode(_ facts: TitleFacts, _ plan: TitlePlan) -> [UInt8] {
        var writer = ArchiveWriter()
        writer.number(Int64(version))
        writer.facts(facts)
        writer.plan(plan)
        return writer.bytes
    }

    /// Nil where the bytes are not exactly what ``encode(_:_:)`` writes.
    static func decode(_ bytes: [UInt8]) -> (TitleFacts, TitlePlan)? {
        var reader = ArchiveReader(bytes)
        guard reader.number() == Int64(version), let facts = reader.facts(), let plan = reader.plan(), reader.isAtEnd
        else { return nil }
        return (facts, plan)
    }
}

/// Numbers as variable-length bytes, everything else made of them.
struct ArchiveWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: Int64) {
        // Small magnitudes of either sign take few bytes.
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func number(_ value: Int) { number(Int64(value)) }
    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func blob(_ value: [UInt8]) {
        number(value.count)
        bytes += value
    }

    mutating func text(_ value: String) { blob(Array(value.utf8)) }

    mutating func optional<Value>(_ value: Value?, _ write: (inout ArchiveWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<Value>(_ values: [Value], _ write: (inout ArchiveWriter, Value) -> Void) {
        number(values.count)
        for value in values { write(&self, value) }
    }
}

/// Reads what ``ArchiveWriter`` wrote; every read past the end or out of range gives nil.
struct ArchiveReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func number() -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
            shift += 7
        }
        return nil
    }

    mutating func integer() -> Int? { number().map { Int($0) } }
    mutating func small() -> Int32? { number().flatMap { Int32(exactly: $0) } }

    mutating func flag() -> Bool? {
        guard offset < bytes.count, bytes[offset] <= 1 else { return nil }
        offset += 1
        return bytes[offset - 1] == 1
    }

    mutating func blob() -> [UInt8]? {
        guard let count = integer(), count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    mutating func text() -> String? { blob().flatMap { String(validating: $0, as: UTF8.self) } }

    /// The outer nil is a failure, the inner one an absent value.
    mutating func optional<Value>(_ read: (inout ArchiveReader) -> Value?) -> Value?? {
        guard let isPresent = flag() else { return nil }
        guard isPresent else { return .some(nil) }
        guard let value = read(&self) else { return nil }
        return .some(value)
    }

    mutating func list<Value>(_ read: (inout ArchiveReader) -> Value?) -> [Value]? {
        // An element takes at least a byte.
        guard let count = integer(), count >= 0, count <= bytes.count - offset else { return nil }
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            guard let value = read(&self) else { return nil }
            values.append(value)
        }
        return values
    }
}
