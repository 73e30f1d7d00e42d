import Testing

@testable import SluiceBitstream

/// Messages that claim more than they hold.
@Suite struct HostileMessageTests {
    private func list(_ unit: [UInt8]) -> [SEIMessage] {
        unit.withUnsafeBytes { SEIMessage.list($0, headerLength: 1) }
    }

    @Test func sizesBeyondTheUnitEndTheList() {
        #expect(list([6, 4, 200, 1, 2, 3, 0x80]).isEmpty)
        #expect(list([6] + [UInt8](repeating: 0xFF, count: 4_000)).isEmpty)
        #expect(list([6, 4]).isEmpty && list([6]).isEmpty && list([]).isEmpty)
        let whole = list([6, 1, 2, 7, 7, 4, 255, 255, 255, 0x80])
        #expect(whole == [SEIMessage(type: 1, payload: [7, 7])])
    }

    @Test func messagesAreCounted() {
        var unit: [UInt8] = [6]
        for _ in 0..<10_000 { unit += [1, 0] }
        #expect(list(unit + [0x80]).count == SEIMessage.limit)
    }

    /// Arrangements that are cut off, cancelled or beyond what is defined pack nothing.
    @Test func framePackingIsBelievedWhereItIsWhole() {
        func isPacked(_ payload: [UInt8]) -> Bool { SEIMessage(type: 45, payload: payload).isFramePacking }
        #expect(isPacked([0x81, 0x80]) && isPacked([0x82, 0x00]))
        #expect(!isPacked([]) && !isPacked([0x81]) && !isPacked([0xC1, 0x80]) && !isPacked([0xBF, 0x80]))
        #expect(!isPacked([UInt8](repeating: 0, count: 64)))
        #expect(!SEIMessage(type: 44, payload: [0x81, 0x80]).isFramePacking)
    }

    /// Values of registered metadata, mastering displays and light levels that end early.
    @Test func shortPayloadsAreNoMetadata() {
        for type in [4, 137, 144, 147, 45] {
            for count in 0..<24 {
                let message = SEIMessage(type: type, payload: [UInt8](repeating: 0xB5, count: count))
                let isWhole = (type == 144 && count >= 4) || (type == 137 && count >= 24) || (type == 147 && count >= 1)
                let found = message.masteringDisplay != nil || message.contentLight != nil
                #expect(isWhole || !found, "\(type) of \(count) bytes")
                #expect(message.registered == nil)
            }
        }
    }
}
