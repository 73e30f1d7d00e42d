import SluiceCore
import Testing

@Suite struct RescaleTests {
    /// 1 tick of 1/1000 is 90 of 1/90000; 1001/30000 s is 3003 ticks of 1/90000.
    @Test func ticksChangeTheirClockExactly() {
        #expect(Int64(40).rescaled(from: Timebase(hertz: 1_000), to: Timebase(hertz: 90_000)) == 3_600)
        #expect(Int64(-7).rescaled(from: Timebase(hertz: 1_000), to: Timebase(hertz: 90_000)) == -630)
    }

    @Test func roundingGoesWhereItIsTold() {
        let (fine, coarse) = (Timebase(hertz: 1_000), Timebase(hertz: 10))
        #expect(Int64(149).rescaled(from: fine, to: coarse) == 1)
        #expect(Int64(150).rescaled(from: fine, to: coarse) == 2)
        #expect(Int64(-150).rescaled(from: fine, to: coarse) == -2)
        #expect(Int64(199).rescaled(from: fine, to: coarse, rounding: .down) == 1)
        #expect(Int64(-101).rescaled(from: fine, to: coarse, rounding: .down) == -2)
        #expect(Int64(101).rescaled(from: fine, to: coarse, rounding: .up) == 2)
        #expect(Int64(-199).rescaled(from: fine, to: coarse, rounding: .up) == -1)
    }

    @Test func whatDoesNotFitSaturates() {
        #expect(Int64.max.scaled(by: 90_000, over: 1_000) == .max)
        #expect(Int64.min.scaled(by: 90_000, over: 1_000) == .min)
        #expect(Int64.max.scaled(by: 1_000, over: 1_000) == .max)
        #expect(Int64(5).scaled(by: 1, over: 0) == 0)
    }

    @Test func aRingBufferKeepsItsOrderWhileItGrows() {
        var ring = RingBuffer<Int>(minimumCapacity: 1)
        for value in 0..<10 { ring.append(value) }
        for value in 0..<7 { #expect(ring.popFirst() == value) }
        for value in 10..<50 { ring.append(value) }
        #expect(ring.removeFirst { $0 == 20 } == 20)
        var rest: [Int] = []
        while let value = ring.popFirst() { rest.append(value) }
        #expect(rest == Array(7..<50).filter { $0 != 20 })
    }
}
