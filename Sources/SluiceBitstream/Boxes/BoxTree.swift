public import SluiceCore

/// A box with its children, for dumps and comparisons.
public struct BoxTree: Sendable, Hashable, CustomStringConvertible {
    public var header: BoxHeader
    /// Empty for boxes that hold fields only.
    public var children: [BoxTree]

    /// Levels that are followed.
    public static let depthLimit = 16
    /// Boxes that are listed before the walk gives up.
    public static let boxLimit = 100_000

    /// All boxes of `bytes`.
    ///
    /// Throws `.malformedInput` where a box does not fit its container, `.limitExceeded` beyond ``boxLimit``.
    public static func parse(_ bytes: [UInt8]) throws(NodeFailure) -> [BoxTree] {
        var count = 0
        return try bytes.withBytes { (buffer) throws(NodeFailure) -> [BoxTree] in
            try walk(buffer, 0..<buffer.count, depth: 0, count: &count)
        }
    }

    private static func walk(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, depth: Int, count: inout Int
    ) throws(NodeFailure) -> [BoxTree] {
        var reader = BoxReader(bytes, range)
        var list: [BoxTree] = []
        while let header = try reader.next() {
            count += 1
            guard count <= boxLimit else { throw NodeFailure(.limitExceeded, "more than \(boxLimit) boxes") }
            var children: [BoxTree] = []
            if depth < depthLimit, let skip = BoxLayoutTable.childOffset(of: header.type), header.payload.count >= skip
            {
                let inner = (header.payload.lowerBound + skip)..<header.payload.upperBound
                children = try walk(bytes, inner, depth: depth + 1, count: &count)
            }
            list.append(BoxTree(header: header, children: children))
        }
        return list
    }

    /// The first descendant along `path`, this box not counted.
    public func first(_ path: FourCC...) -> BoxTree? {
        var current: BoxTree? = self
        for type in path { current = current?.children.first { $0.header.type == type } }
        return current
    }

    /// `moov(mvhd,trak(…))`, sizes left out.
    public var description: String {
        children.isEmpty
            ? header.type.description
            : header.type.description + "(" + children.map(\.description).joined(separator: ",") + ")"
    }
}

/// Which boxes hold boxes, and how many bytes of fields come before them.
enum BoxLayoutTable {
    static func childOffset(of type: FourCC) -> Int? { offsets[type] }

    private static let offsets: [FourCC: Int] = [
        "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0, "moof": 0, "traf": 0,
        "mfra": 0, "udta": 0, "dref": 8, "stsd": 8,
        "avc1": 78, "avc3": 78, "hvc1": 78, "hev1": 78, "dvh1": 78, "dvhe": 78, "av01": 78, "dav1": 78, "vp09": 78,
        "vp08": 78,
        "mp4a": 28, "ac-3": 28, "ec-3": 28, "fLaC": 28, "Opus": 28,
    ]
}
