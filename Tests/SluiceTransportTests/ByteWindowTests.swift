import SluiceTestKit
import Testing

@testable import SluiceTransport

struct ByteWindowTests {
    private func append(_ window: inout ByteWindow, _ bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBytes { window.append($0) }
    }

    private func read(_ window: inout ByteWindow, _ count: Int, at offset: Int64) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: count)
        let got = out.withUnsafeMutableBytes { window.read(into: $0, at: offset) }
        return Array(out[..<got])
    }

    /// Deliveries and reads of odd sizes; every byte against the array they come from.
    @Test func returnsEveryByteAtItsOffset() {
        var limits = WindowLimits()
        limits.lookBack = 300_000
        let body = FaultyOrigin.noise(3_000_000)
        var window = ByteWindow(limits: limits)
        var fed = 0
        var taken = 0
        while taken < body.count {
            let piece = min(65_537, body.count - fed)
            append(&window, body[fed..<(fed + piece)])
            fed += piece
            let got = read(&window, 50_021, at: Int64(taken))
            #expect(got == Array(body[taken..<(taken + got.count)]))
            taken += got.count
            if taken > 400_000 {
                let back = taken - 290_000
                let earlier = read(&window, 1000, at: Int64(back))
                #expect(earlier == Array(body[back..<(back + 1000)]))
                window.move(to: Int64(taken))
            }
            #expect(window.count <= window.ahead + limits.lookBack)
        }
        #expect(window.end == Int64(body.count))
    }

    @Test func marksDecideWhenToReceive() {
        var limits = WindowLimits()
        limits.highWater = 1000
        limits.lowWater = 400
        limits.lookBack = 100
        limits.keepAhead = 500
        var window = ByteWindow(at: 5000, limits: limits)
        #expect(window.wantsMore)
        append(&window, [UInt8](repeating: 1, count: 999))
        #expect(!window.isFull)
        append(&window, [1])
        #expect(window.isFull)
        _ = read(&window, 599, at: 5000)
        #expect(!window.wantsMore)
        _ = read(&window, 1, at: 5599)
        #expect(window.wantsMore)
        #expect(!window.contains(5499), "100 bytes of look-back")
        #expect(window.contains(5500))
        #expect(window.isNear(6500))
        #expect(!window.isNear(6501))
    }

    @Test func aReaderAheadOfTheDeliveryKeepsNothing() {
        var limits = WindowLimits()
        limits.lookBack = 1000
        var window = ByteWindow(limits: limits)
        window.move(to: 2_000_000)
        let body = FaultyOrigin.noise(2_100_000)
        for start in stride(from: 0, to: body.count, by: 60_000) {
            append(&window, body[start..<min(start + 60_000, body.count)])
            #expect(window.count <= 101_000)
        }
        let held = read(&window, 100_000, at: 2_000_000)
        #expect(held == Array(body[2_000_000...]))
    }
}
