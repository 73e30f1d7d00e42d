/// Goes over the clusters of a Matroska segment, element by element. Pure: whoever has the bytes shows them.
///
/// It takes what is beyond doubt: elements that say how long they are and lie inside their parents, clusters that begin
/// with their timestamp, blocks of tracks that the header lists. Of anything else it says that it is foreign, and is of
/// no use afterwards.
///
/// - Note: RFC 9559 §5.1.3, §10.
public struct MatroskaClusterWalk: Sendable {
    /// A block of a wanted track.
    public struct Block: Sendable, Hashable {
        /// Place of its track in the list.
        public var track: Int
        /// Offset in the source of what the element holds.
        public var position: Int64
        /// Ticks of the segment, not negative before a track's delay is taken off.
        public var time: Int64
        public var isKeyframe: Bool
        /// In ticks, as the block says; 0 where it does not.
        public var duration: Int64
        public var lacing: MatroskaLacing
        /// Offsets in the source of its frames, with their sizes where there are several. Not empty.
        public var payload: Range<Int64>
    }

    public enum Step: Sendable, Hashable {
        case block(Block)
        /// That many bytes from ``position`` on must be there before anything can be said; at most 64 MiB.
        case need(Int)
        /// The segment is over.
        case end
        /// Something that is not understood.
        case foreign(String)
    }

    /// Where the next element begins, in the source.
    public private(set) var position: Int64
    /// Where the segment ends.
    private let end: Int64
    private let numbers: [UInt64]
    private let isWanted: [Bool]
    private var clusterEnd: Int64?
    private var clusterTime: Int64?

    /// Bytes of a block or a group of one beyond which it is foreign.
    private static let blockLimit: Int64 = 64 << 20
    /// Times beyond it do not fit where they are counted in.
    private static let timeLimit: UInt64 = 1 << 52

    /// - Parameters:
    ///   - position: where a cluster begins, or an element beside clusters.
    ///   - end: where the segment ends.
    ///   - numbers: of all tracks of the file.
    ///   - isWanted: for each of them, whether its blocks are asked for.
    public init(position: Int64, end: Int64, numbers: [UInt64], isWanted: [Bool]) {
        self.position = max(0, position)
        self.end = end
        self.numbers = numbers
        self.isWanted = isWanted
    }

    /// Goes on to the next block.
    ///
    /// - Parameters:
    ///   - bytes: a part of the source.
    ///   - base: where that part lies in the source, not negative.
    public mutating func next(_ bytes: UnsafeRawBufferPointer, at base: Int64) -> Step {
        while true {
            if clusterEnd == position { clusterEnd = nil }
            let limit = clusterEnd ?? end
            guard position < limit else { return position == end ? .end : .foreign("an element beyond its parent") }
            // What lies before the part or behind it is not there.
            guard let offset = Int(exactly: position - base), offset >= 0 else { return need(1, limit) }
            let head: EBMLHead
            switch EBMLHead.read(bytes, at: offset) {
            case .head(let found): head = found
            case .invalid: return .foreign("no element at byte \(position)")
            case .incomplete:
                guard bytes.count - offset < min(Int64(EBMLHead.longest), limit - position) else {
                    return .foreign("no element at byte \(position)")
                }
                return need(EBMLHead.longest, limit)
            }
            guard let size = head.size, size <= limit - position - Int64(head.length) else {
                return .foreign("element \(String(head.id, radix: 16)) at byte \(position) does not fit")
            }
            let payload = (position + Int64(head.length))..<(position + Int64(head.length) + size)
            let step = clusterEnd == nil ? beside(head, payload) : inside(head, payload, bytes, base)
            if let step { return step }
        }
    }

    // MARK: - Elements

    /// An element of the segment; nil where it was passed.
    private mutating func beside(_ head: EBMLHead, _ payload: Range<Int64>) -> Step? {
        guard head.id == MatroskaID.cluster else {
            guard MatroskaID.isBesideClusters(head.id) else { return unknown(head) }
            position = payload.upperBound
            return nil
        }
        guard !payload.isEmpty else { return .foreign("an empty cluster at byte \(position)") }
        position = payload.lowerBound
        clusterEnd = payload.upperBound
        clusterTime = nil
        return nil
    }

    /// An element of a cluster; nil where it was passed.
    private mutating func inside(
        _ head: EBMLHead, _ payload: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ base: Int64
    ) -> Step? {
        switch head.id {
        case MatroskaID.simpleBlock: return simpleBlock(payload, bytes, base)
        case MatroskaID.blockGroup: return group(payload, bytes, base)
        case MatroskaID.timestamp: return timestamp(payload, bytes, base)
        case let id where MatroskaID.isBesideBlocks(id):
            position = payload.upperBound
            return nil
        default: return unknown(head)
        }
    }

    private mutating func timestamp(
        _ payload: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ base: Int64
    ) -> Step? {
        guard payload.count <= 8, clusterTime == nil else { return .foreign("a timestamp at byte \(position)") }
        guard let place = local(payload, bytes, base) else { return need(payload) }
        guard let time = EBMLHead.unsigned(bytes, place), time < Self.timeLimit else {
            return .foreign("a timestamp at byte \(position)")
        }
        clusterTime = Int64(time)
        position = payload.upperBound
        return nil
    }

    private mutating func simpleBlock(
        _ payload: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ base: Int64
    ) -> Step? {
        let front = payload.lowerBound..<min(payload.upperBound, payload.lowerBound + Self.headingLength)
        guard let place = local(front, bytes, base) else { return need(front) }
        switch heading(of: payload, bytes, place) {
        case .foreign(let what): return .foreign(what)
        case .passed:
            position = payload.upperBound
            return nil
        case .block(var block, let flags):
            guard payload.count <= Self.blockLimit else { return .foreign("a block of \(payload.count) bytes") }
            guard local(payload, bytes, base) != nil else { return need(payload) }
            block.isKeyframe = flags & 0x80 != 0
            position = payload.upperBound
            return .block(block)
        }
    }

    /// A block with what is said of it. What would change its frames is foreign.
    private mutating func group(
        _ payload: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ base: Int64
    ) -> Step? {
        guard payload.count <= Self.blockLimit else { return .foreign("a group of \(payload.count) bytes") }
        guard let whole = local(payload, bytes, base) else { return need(payload) }
        var found: Heading?
        var duration: UInt64 = 0
        var isKeyframe = true
        var isAltered = false
        var offset = whole.lowerBound
        let inside = UnsafeRawBufferPointer(rebasing: bytes[0..<whole.upperBound])
        while offset < whole.upperBound {
            guard case .head(let head) = EBMLHead.read(inside, at: offset), let size = head.size,
                size <= Int64(whole.upperBound - offset - head.length)
            else { return .foreign("a broken group at byte \(position)") }
            let begin = offset + head.length
            offset = begin + Int(size)
            switch head.id {
            case MatroskaID.block:
                guard found == nil, size > 0 else { return .foreign("a group at byte \(position)") }
                let start = base + Int64(begin)
                found = heading(of: start..<(start + size), bytes, begin..<offset)
            case MatroskaID.blockDuration:
                guard let value = EBMLHead.unsigned(inside, begin..<offset), value < Self.timeLimit else {
                    return .foreign("a duration at byte \(position)")
                }
                duration = value
            case MatroskaID.referenceBlock: isKeyframe = false
            case MatroskaID.void, MatroskaID.checksum: break
            default: isAltered = true
            }
        }
        switch found {
        case nil: return .foreign("a group without a block at byte \(position)")
        case .foreign(let what): return .foreign(what)
        case .passed:
            position = payload.upperBound
            return nil
        case .block(var block, _):
            guard !isAltered else { return .foreign("a group of more than a block at byte \(position)") }
            block.isKeyframe = isKeyframe
            block.duration = Int64(duration)
            position = payload.upperBound
            return .block(block)
        }
    }

    // MARK: - Blocks

    private enum Heading {
        case block(Block, flags: UInt8)
        /// Of no use.
        case passed
        case foreign(String)
    }

    /// A track number of 8 bytes, a time of 2, and the flags.
    private static let headingLength: Int64 = 11

    /// What stands before the frames of a block.
    ///
    /// - Parameter place: in `bytes`, of at least the heading.
    private func heading(of payload: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ place: Range<Int>) -> Heading {
        let inside = UnsafeRawBufferPointer(rebasing: bytes[0..<place.upperBound])
        guard case .number(let number, let length) = EBMLHead.number(inside, at: place.lowerBound),
            let track = numbers.firstIndex(of: number)
        else { return .foreign("a block of no track at byte \(payload.lowerBound)") }
        // A block without a frame is none.
        guard isWanted.indices.contains(track), isWanted[track], payload.count > length + 3 else { return .passed }
        guard let clusterTime else { return .foreign("a block before its cluster's timestamp") }
        let offset = place.lowerBound + length
        guard offset + 3 <= place.upperBound else { return .foreign("a block without a heading") }
        let distance = Int16(bitPattern: UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]))
        let flags = bytes[offset + 2]
        let time = clusterTime + Int64(distance)
        guard time >= 0, let lacing = MatroskaLacing(rawValue: flags >> 1 & 3) else {
            return .foreign("a block before the start of the segment")
        }
        let block = Block(
            track: track, position: payload.lowerBound, time: time, isKeyframe: false, duration: 0, lacing: lacing,
            payload: (payload.lowerBound + Int64(length + 3))..<payload.upperBound)
        return .block(block, flags: flags)
    }

    // MARK: - Bytes

    /// Where `range` lies in `bytes`; nil where not all of it is there.
    private func local(_ range: Range<Int64>, _ bytes: UnsafeRawBufferPointer, _ base: Int64) -> Range<Int>? {
        guard let lower = Int(exactly: range.lowerBound - base), let upper = Int(exactly: range.upperBound - base),
            lower >= 0, upper <= bytes.count
        else { return nil }
        return lower..<upper
    }

    private func need(_ range: Range<Int64>) -> Step { .need(Int(range.upperBound - position)) }

    private func need(_ count: Int, _ limit: Int64) -> Step { .need(Int(min(Int64(count), limit - position))) }

    private func unknown(_ head: EBMLHead) -> Step {
        .foreign("element \(String(head.id, radix: 16)) at byte \(position)")
    }
}
