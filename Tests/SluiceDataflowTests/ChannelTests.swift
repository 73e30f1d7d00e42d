import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceDataflow

private func channel(
    bytes: Int = 1 << 30, span: Duration? = nil, items: Int = 4096, overflow: OverflowPolicy = .suspend
) -> Channel<Token> {
    Channel(limits: ChannelLimits(bytes: bytes, span: span, items: items), overflow: overflow)
}

/// What the channel says, and how many items it left in the batch.
private func send(
    _ items: [Item<Token>], to channel: Channel<Token>, epoch: Epoch = .first
) -> (result: SendResult, left: Int) {
    var batch = items
    let result = channel.trySend(contentsOf: &batch, epoch: epoch)
    return (result, batch.count)
}

private func take(_ channel: Channel<Token>, _ limit: Int = 10_000) -> [Int] {
    var batch: [Item<Token>] = []
    _ = channel.tryReceive(into: &batch, limit: limit)
    return batch.payloads().map(\.value)
}

private func tokens(_ values: Range<Int>, cost: Int = 100) -> [Item<Token>] { values.map { .token($0, cost: cost) } }

/// One token every ten milliseconds.
private func timed(_ values: Range<Int>) -> [Item<Token>] { values.map { .token($0, at: .milliseconds(10 * $0)) } }

@Suite struct ChannelBoundTests {
    @Test func theByteBoundStopsExactly() {
        let channel = channel(bytes: 1_000)
        #expect(send(tokens(0..<20), to: channel) == (.full, 10))
        #expect(channel.level.bytes == 1_000)
        #expect(channel.level.fullCount == 1)
        #expect(take(channel, 3) == [0, 1, 2])
        #expect(channel.level.bytes == 700)
        #expect(send(tokens(10..<20), to: channel) == (.full, 7))
        #expect(channel.level.peakBytes == 1_000)
    }

    @Test func theItemBoundStopsExactlyAndCountsEvents() {
        let channel = channel(items: 4)
        #expect(send([.token(0), .end, .token(1), .end, .token(2), .token(3)], to: channel) == (.full, 2))
        #expect(channel.level.items == 4)
    }

    @Test func theSpanBoundLetsInWhatIsNotBeyondIt() {
        let channel = channel(span: .milliseconds(100))
        // 0 … 100 ms are eleven tokens; the twelfth would be 110 ms after the first.
        #expect(send(timed(0..<20), to: channel) == (.full, 9))
        #expect(channel.level.span == 100_000_000)
        #expect(take(channel, 5) == [0, 1, 2, 3, 4])
        #expect(channel.level.span == 50_000_000)
        #expect(send(timed(11..<20), to: channel) == (.full, 4))
        #expect(channel.level.span == 100_000_000)
    }

    @Test func theSpanBoundHoldsForPayloadsThatCostNothing() {
        let channel = channel(span: .milliseconds(100))
        let free: [Item<Token>] = (0..<20).map { .token($0, cost: 0, at: .milliseconds(10 * $0)) }
        #expect(send(free, to: channel) == (.full, 9))
    }

    @Test func anEmptyChannelTakesAnythingAndABoundNeverWedges() {
        let channel = channel(bytes: 1_000, span: .milliseconds(100))
        #expect(send([.token(0, cost: 5_000)], to: channel) == (.sent, 0))
        #expect(send([.token(1, cost: 5_000)], to: channel) == (.full, 1))
        #expect(take(channel) == [0])
        #expect(send([.token(1, cost: 5_000)], to: channel) == (.sent, 0))
        #expect(take(channel) == [1])
        // A jump beyond the span waits for what precedes it, no longer.
        #expect(send([.token(2, at: .zero), .token(3, at: .seconds(3600))], to: channel) == (.full, 1))
        #expect(take(channel) == [2])
        #expect(send([.token(3, at: .seconds(3600))], to: channel) == (.sent, 0))
    }

    @Test func aTimelineThatJumpsBackNeitherFillsNorTraps() {
        let channel = channel(span: .milliseconds(100))
        var extreme: [Item<Token>] = [.token(0), .token(1), .token(2)]
        for (index, position) in [Int64.max, .min, .max].enumerated() {
            var token = Token(index)
            token.timelinePosition = position
            extreme[index] = .payload(token)
        }
        #expect(send(extreme, to: channel).result == .sent, "the third is no further than the first")
        #expect(take(channel, 1) == [0])
        #expect(take(channel) == [1, 2])
        #expect(channel.level.span == 0)
        #expect(send([.token(0, at: .seconds(95_000)), .token(1, at: .zero)], to: channel) == (.sent, 0))
        #expect(take(channel, 1) == [0])
        #expect(send([.token(2, at: .milliseconds(90))], to: channel) == (.sent, 0))
        #expect(channel.level.span == 90_000_000)
    }

    @Test func limitsOfZeroStillLetOneItemThrough() {
        let channel = channel(bytes: 0, span: .zero, items: 0)
        #expect(send(timed(0..<2), to: channel) == (.full, 1))
        #expect(take(channel) == [0])
        #expect(send(timed(1..<2), to: channel) == (.sent, 0))
    }

    @Test func theProducerIsWokenWhenABatchFits() {
        let channel = channel(items: 64)
        let producer = Waker()
        channel.attachProducer(producer)
        #expect(send(tokens(0..<65), to: channel) == (.full, 1))
        // An eighth of 64 is 8.
        _ = take(channel, 7)
        #expect(!producer.isSignalled)
        _ = take(channel, 1)
        #expect(producer.isSignalled)
    }

    @Test func theConsumerIsSignalledWhenAnEmptyChannelGetsItems() {
        let channel = channel()
        let consumer = Waker()
        channel.attachConsumer(consumer)
        _ = send([], to: channel)
        #expect(!consumer.isSignalled)
        _ = send(tokens(0..<1), to: channel)
        #expect(consumer.isSignalled)
    }
}

@Suite struct ChannelOverflowTests {
    @Test func dropOldestKeepsTheNewestPayloadsAndEveryEvent() {
        let channel = channel(items: 4, overflow: .dropOldest)
        #expect(send([.token(0), .end, .token(1), .token(2), .token(3), .token(4)], to: channel) == (.sent, 0))
        var batch: [Item<Token>] = []
        #expect(channel.tryReceive(into: &batch, limit: 100) == .received(4))
        #expect(batch.payloads().map(\.value) == [2, 3, 4])
        #expect(batch.events() == [.endOfStream(.sourceEnded)])
        #expect(batch[0].event != nil, "the event keeps its place")
        #expect(channel.level.dropped == 2)
        #expect(channel.level.bytes == 0)
    }

    @Test func dropOldestMakesRoomByBytesAndSpan() {
        let bytes = channel(bytes: 1_000, overflow: .dropOldest)
        #expect(send(tokens(0..<9) + [.token(9, cost: 900)], to: bytes) == (.sent, 0))
        #expect(bytes.level.bytes == 1_000)
        #expect(take(bytes) == [8, 9])
        #expect(send(tokens(0..<3) + [.token(3, cost: 9_000)], to: bytes) == (.sent, 0))
        #expect(take(bytes) == [3], "an item beyond the bound has the channel for itself")
        let span = channel(span: .milliseconds(100), overflow: .dropOldest)
        #expect(send(timed(0..<20), to: span) == (.sent, 0))
        #expect(take(span) == Array(9..<20))
    }

    @Test func dropNewestDiscardsPayloadsButNoEvent() {
        let channel = channel(items: 2, overflow: .dropNewest)
        #expect(send([.token(0), .token(1), .token(2), .end, .token(3)], to: channel) == (.sent, 0))
        var batch: [Item<Token>] = []
        _ = channel.tryReceive(into: &batch, limit: 100)
        #expect(batch.payloads().map(\.value) == [0, 1])
        #expect(batch.events() == [.endOfStream(.sourceEnded)])
        #expect(channel.level.dropped == 2)
    }

    @Test func aQueueOfEventsAloneDropsThePayload() {
        let channel = channel(items: 2, overflow: .dropOldest)
        #expect(send([.end, .end, .end, .token(0)], to: channel) == (.sent, 0))
        #expect(channel.level.items == 3)
        #expect(channel.level.dropped == 1)
    }

    /// A hint that a sparse stream is alive is worth nothing to somebody who is thousands of items behind.
    @Test func gapsDoNotPileUpBehindASlowTap() {
        let channel = channel(items: 8, overflow: .dropOldest)
        let gap = StreamEvent.gap(stream: StreamID(0), from: Timestamp(0, .mpeg), to: Timestamp(1, .mpeg))
        for _ in 0..<1_000 { #expect(send([.event(gap)], to: channel) == (.sent, 0)) }
        #expect(channel.level.items == 8)
        #expect(send([.end], to: channel) == (.sent, 0))
        #expect(channel.level.items == 9)
    }
}

@Suite struct ChannelEpochTests {
    @Test func aFlushDiscardsAndIsToldOnceAndFirst() {
        let channel = channel()
        _ = send(tokens(0..<5), to: channel)
        channel.flush(to: Epoch(1))
        #expect(channel.level.items == 0 && channel.level.bytes == 0)
        #expect(send(tokens(0..<3), to: channel) == (.stale, 0))
        #expect(send(tokens(5..<8), to: channel, epoch: Epoch(1)) == (.sent, 0))
        var batch: [Item<Token>] = []
        #expect(channel.tryReceive(into: &batch, limit: 10) == .flushed(Epoch(1)))
        #expect(batch.isEmpty)
        #expect(channel.tryReceive(into: &batch, limit: 10) == .received(3))
        #expect(channel.tryReceive(into: &batch, limit: 10) == .empty)
    }

    @Test func onlyNewerFlushesCountAndSeveralMerge() {
        let channel = channel()
        channel.flush(to: Epoch(2))
        channel.flush(to: Epoch(5))
        _ = send(tokens(0..<1), to: channel, epoch: Epoch(5))
        channel.flush(to: Epoch(5))
        channel.flush(to: Epoch(3))
        #expect(channel.epoch == Epoch(5))
        #expect(channel.level.items == 1)
        var batch: [Item<Token>] = []
        #expect(channel.tryReceive(into: &batch, limit: 10) == .flushed(Epoch(5)))
    }

    @Test func aFlushSignalsBothEndsAndForgetsAWaitingProducer() {
        let channel = channel(items: 1)
        let (producer, consumer) = (Waker(), Waker())
        channel.attachProducer(producer)
        channel.attachConsumer(consumer)
        channel.flush(to: Epoch(1))
        #expect(producer.isSignalled && consumer.isSignalled)
    }

    @Test func aClosedChannelGivesWhatItHasAndTakesNothing() {
        let channel = channel()
        _ = send(tokens(0..<2), to: channel)
        channel.close()
        #expect(send(tokens(2..<4), to: channel) == (.closed, 0))
        #expect(take(channel) == [0, 1])
        var batch: [Item<Token>] = []
        #expect(channel.tryReceive(into: &batch, limit: 10) == .closed)
    }

    @Test func withoutItsConsumerSendsSucceedAndVanish() {
        let channel = channel(items: 2)
        let producer = Waker()
        channel.attachProducer(producer)
        #expect(send(tokens(0..<5), to: channel) == (.full, 3))
        channel.detachConsumer()
        #expect(producer.isSignalled)
        #expect(send(tokens(0..<500), to: channel) == (.sent, 0))
        #expect(channel.level.items == 0 && channel.level.bytes == 0)
        channel.flush(to: Epoch(1))
        #expect(send(tokens(0..<5), to: channel) == (.stale, 0))
    }
}

/// Random schedules from fixed seeds, compared step by step with a model that is too simple to be wrong.
@Suite struct ChannelScheduleTests {
    private struct Model {
        var queue: [(value: Int, cost: Int, at: Int64)] = []
        let bytes: Int
        let items: Int
        let span: Int64

        var total: Int { queue.reduce(0) { $0 + $1.cost } }

        mutating func send(_ value: Int, _ cost: Int, _ at: Int64) -> Bool {
            if let first = queue.first {
                if queue.count >= items || total + cost > bytes || at - first.at > span { return false }
            }
            queue.append((value, cost, at))
            return true
        }
    }

    @Test(arguments: UInt64(1)...20) func theChannelFollowsTheModel(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let limits = ChannelLimits(
            bytes: 200 + Int(random.next() % 2_000), span: .nanoseconds(Int64(10 + random.next() % 500)),
            items: 2 + Int(random.next() % 40))
        let channel = Channel<Token>(limits: limits)
        var model = Model(bytes: limits.bytes, items: limits.items, span: limits.span!.nanoseconds)
        var (next, at) = (0, Int64(0))
        for _ in 0..<5_000 {
            if random.next() & 1 == 0 {
                let cost = Int(random.next() % 300)
                let later = at + Int64(random.next() % 60)
                var token = Token(next, cost: cost)
                token.timelinePosition = later
                let expected = model.send(next, cost, later)
                let got = send([.payload(token)], to: channel).result
                #expect(got == (expected ? .sent : .full))
                if expected { (next, at) = (next + 1, later) }
            } else {
                let limit = 1 + Int(random.next() % 5)
                let expected = model.queue.prefix(limit).map(\.value)
                model.queue.removeFirst(expected.count)
                #expect(take(channel, limit) == expected)
            }
            let level = channel.level
            #expect(level.items == model.queue.count && level.bytes == model.total)
            #expect(level.span == (model.queue.last?.at ?? 0) - (model.queue.first?.at ?? 0))
        }
        #expect(next > 500)
    }
}

/// A small generator with a fixed sequence for each seed.
struct SplitMix {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
