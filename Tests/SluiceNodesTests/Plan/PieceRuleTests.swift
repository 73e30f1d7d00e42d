import SluiceCore
import Testing

@testable import SluiceBitstream
@testable import SluiceNodes

/// Where other streams take over, from the program tables alone.
@Suite struct PieceRuleTests {
    private typealias Change = TransportTables.Change

    private func change(_ position: Int64, _ programs: [Int: [(Int, UInt8)]]) -> Change {
        let list = programs.sorted { $0.key < $1.key }.map { number, streams in
            TransportProgram(
                number: number, streams: streams.map { TransportProgram.Stream(number: $0.0, coding: [$0.1]) })
        }
        return Change(position: position, start: position - 188, programs: list)
    }

    private func places(_ changes: [Change], _ served: [Int] = [0x100, 0x101]) -> [Int64] {
        PieceRule.joints(changes, served: served).map(\.start)
    }

    @Test func aJointIsWhereAServedStreamGoesAndAnotherComes() {
        let first = change(188, [1: [(0x100, 0x1B), (0x101, 0x0F)]])
        let joints = PieceRule.joints(
            [first, change(9_000, [1: [(0x200, 0x1B), (0x201, 0x0F)]])], served: [0x100, 0x101])
        #expect(joints == [PieceRule.Joint(tables: 8_812, start: 9_000)])
        #expect(places([first, change(9_000, [1: [(0x100, 0x24), (0x101, 0x0F)]])]) == [9_000], "another coding")
        #expect(places([first, change(9_000, [1: [(0x100, 0x1B), (0x101, 0x06)]])]) == [9_000], "perhaps sound")
        #expect(places([first, change(9_000, [2: [(0x100, 0x1B), (0x300, 0x0F)]])]) == [9_000], "another program")
        #expect(places([first, change(9_000, [1: [(0x200, 0x1B)]]), change(9_500, [1: [(0x100, 0x1B)]])]).count == 2)
    }

    @Test func whatOnlyComesOrGoesIsNoJoint() {
        let first = change(188, [1: [(0x100, 0x1B), (0x101, 0x0F)]])
        #expect(places([first]).isEmpty)
        #expect(places([first, change(9_000, [1: [(0x100, 0x1B), (0x101, 0x0F), (0x102, 0x0F)]])]).isEmpty)
        #expect(places([first, change(9_000, [1: [(0x100, 0x1B)]])]).isEmpty)
        #expect(places([first, change(9_000, [1: [(0x100, 0x1B), (0x102, 0x05)]])]).isEmpty, "no media")
        let other = change(9_000, [1: [(0x100, 0x1B), (0x101, 0x0F)], 2: [(0x300, 0x1B)]])
        #expect(
            places([first, other, change(9_500, [1: [(0x100, 0x1B), (0x101, 0x0F)], 2: [(0x400, 0x1B)]])]).isEmpty)
        #expect(places([first], [0x500]).isEmpty)
    }

    private func sound(_ index: Int, _ language: String?) -> StreamFormat {
        var format = StreamFormat(id: StreamID(index), type: .audio, codec: "aac", timebase: .mpeg)
        format.language = language
        return format
    }

    @Test func soundsGoOnInTheirLanguage() {
        let heads = [sound(1, "eng"), sound(2, "fra")]
        let pairs = PieceRule.pairs(heads, [sound(5, "fra"), sound(6, "eng"), sound(7, nil)])
        #expect(pairs == [StreamID(5): StreamID(2), StreamID(6): StreamID(1)])
        #expect(PieceRule.pairs(heads, [sound(5, nil)]) == [StreamID(5): StreamID(1)])
        #expect(PieceRule.pairs([], [sound(5, nil)]).isEmpty)
    }
}
