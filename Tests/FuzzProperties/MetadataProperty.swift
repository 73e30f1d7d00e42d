import SluiceBitstream

/// Messages of any bytes are taken apart within bounds and read back the same; what counts as metadata does so whatever
/// zeros follow, and not once something else does.
enum MetadataProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        for length in [1, 2] {
            let list = bytes.withUnsafeBytes { SEIMessage.list($0, headerLength: length) }
            guard list.count <= SEIMessage.limit else { return "\(list.count) messages of one unit" }
            guard list.reduce(0, { $0 + $1.payload.count }) <= bytes.count else { return "more payload than bytes" }
            let again = written(list, length).withUnsafeBytes { SEIMessage.list($0, headerLength: length) }
            guard again == list else { return "\(list.count) messages read back as \(again.count)" }
            for message in list {
                _ = (message.masteringDisplay, message.contentLight, message.preferredTransfer)
                if let broken = registered(message.payload) { return broken }
            }
        }
        // Most bytes name no provider.
        for head in [[0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04], [0x26, 0x00, 0x04, 0x00, 0x05]] as [[UInt8]] {
            if let broken = registered(head + bytes) { return broken }
        }
        return registered(bytes)
    }

    private static func registered(_ payload: [UInt8]) -> String? {
        guard let kind = RegisteredMetadata(payload) else { return nil }
        if RegisteredMetadata(payload + [0]) != kind { return "\(kind) with a zero behind it is another" }
        return RegisteredMetadata(payload + [1]) == nil ? nil : "\(kind) with more behind it still counts"
    }

    /// A unit of messages, with emulation prevention.
    private static func written(_ list: [SEIMessage], _ headerLength: Int) -> [UInt8] {
        var plain: [UInt8] = []
        for message in list {
            for number in [message.type, message.payload.count] {
                plain += Array(repeating: 0xFF, count: number / 255) + [UInt8(number % 255)]
            }
            plain += message.payload
        }
        var unit = [UInt8](repeating: 0x4E, count: headerLength)
        var zeros = 0
        for byte in plain + [0x80] {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            unit.append(byte)
        }
        return unit
    }
}
