public import SluiceCore

/// What a `moof` says, read back, with every default filled in.
public struct FragmentContents: Sendable, Hashable {
    /// `mfhd` sequence number.
    public var sequence: UInt32
    /// Offset of the `moof` within the bytes that were read.
    public var offset: Int
    public var tracks: [Track]

    public struct Track: Sendable, Hashable {
        public var id: UInt32 = 0
        /// nil where there is no `tfdt`.
        public var decodeTime: UInt64?
        /// `default-base-is-moof` is set and no base data offset given.
        public var isRelative = false
        public var samples: [Sample] = []
    }

    public struct Sample: Sendable, Hashable {
        public var duration: UInt32
        public var size: UInt32
        public var flags: UInt32
        public var compositionOffset: Int64
        /// Offset of the sample within the bytes that were read; not checked against them.
        public var offset: Int

        public var isSync: Bool { flags & 0x1_0000 == 0 }
    }

    /// Samples in one call beyond which the bytes are refused.
    public static let sampleLimit = 1 << 20

    /// Reads all fragments of `bytes`; `defaults` come from the initialization section, by track id.
    ///
    /// Throws `.malformedInput` for damaged boxes, `.limitExceeded` beyond ``sampleLimit`` samples or 64 track
    /// fragments in one `moof`.
    public static func all(
        in bytes: [UInt8], defaults: [UInt32: InitializationContents.SampleDefaults] = [:]
    ) throws(NodeFailure) -> [FragmentContents] {
        try bytes.withBytes { (buffer) throws(NodeFailure) -> [FragmentContents] in
            var list: [FragmentContents] = []
            var budget = sampleLimit
            var reader = BoxReader(buffer)
            while let box = try reader.next() {
                guard box.type == "moof" else { continue }
                list.append(try FragmentContents(buffer, box, defaults: defaults, budget: &budget))
            }
            return list
        }
    }

    private init(
        _ bytes: UnsafeRawBufferPointer, _ box: BoxHeader, defaults: [UInt32: InitializationContents.SampleDefaults],
        budget: inout Int
    ) throws(NodeFailure) {
        sequence = 0
        offset = box.offset
        tracks = []
        var reader = BoxReader(bytes, box.payload)
        while let inner = try reader.next() {
            if inner.type == "mfhd" {
                var fields = ByteReader(bytes, inner.payload)
                fields.skip(4)
                sequence = fields.u32()
                if fields.overran { throw InitializationContents.short(inner) }
            } else if inner.type == "traf" {
                guard tracks.count < 64 else { throw NodeFailure(.limitExceeded, "more than 64 track fragments") }
                var parser = TrackFragmentParser(bytes: bytes, base: box.offset, defaults: defaults, budget: budget)
                try parser.read(inner.payload)
                budget -= parser.track.samples.count
                tracks.append(parser.track)
            }
        }
    }
}

/// Reads one `traf`.
private struct TrackFragmentParser {
    let bytes: UnsafeRawBufferPointer
    let base: Int
    let defaults: [UInt32: InitializationContents.SampleDefaults]
    let budget: Int
    var track = FragmentContents.Track()
    private var values = InitializationContents.SampleDefaults()
    private var dataBase = 0
    private var next = 0

    init(
        bytes: UnsafeRawBufferPointer, base: Int, defaults: [UInt32: InitializationContents.SampleDefaults], budget: Int
    ) {
        self.bytes = bytes
        self.base = base
        self.defaults = defaults
        self.budget = budget
    }

    mutating func read(_ range: Range<Int>) throws(NodeFailure) {
        var reader = BoxReader(bytes, range)
        while let box = try reader.next() {
            switch box.type {
            case "tfhd": try header(box)
            case "tfdt":
                var fields = ByteReader(bytes, box.payload)
                track.decodeTime = fields.u32() >> 24 == 1 ? fields.u64() : UInt64(fields.u32())
                if fields.overran { throw InitializationContents.short(box) }
            case "trun": try run(box)
            default: break
            }
        }
    }

    private mutating func header(_ box: BoxHeader) throws(NodeFailure) {
        var fields = ByteReader(bytes, box.payload)
        let flags = fields.u32() & 0xFF_FFFF
        track.id = fields.u32()
        values = defaults[track.id] ?? .init()
        dataBase = base
        if flags & 0x01 != 0 { dataBase = Int(clamping: fields.u64()) }
        if flags & 0x02 != 0 { values.description = fields.u32() }
        if flags & 0x08 != 0 { values.duration = fields.u32() }
        if flags & 0x10 != 0 { values.size = fields.u32() }
        if flags & 0x20 != 0 { values.flags = fields.u32() }
        track.isRelative = flags & 0x02_0000 != 0 && flags & 0x01 == 0
        next = dataBase
        if fields.overran { throw InitializationContents.short(box) }
    }

    private mutating func run(_ box: BoxHeader) throws(NodeFailure) {
        var fields = ByteReader(bytes, box.payload)
        let word = fields.u32()
        let isSigned = word >> 24 != 0
        let count = Int(fields.u32())
        if word & 0x01 != 0 { next = dataBase &+ Int(fields.i32()) }
        let firstFlags = word & 0x04 != 0 ? fields.u32() : nil
        guard count <= budget - track.samples.count else {
            throw NodeFailure(.limitExceeded, "'trun' at byte \(box.offset) declares \(count) samples")
        }
        let width = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (word & $1 != 0 ? 4 : 0) }
        guard count * width <= fields.remaining, !fields.overran else { throw InitializationContents.short(box) }
        track.samples.reserveCapacity(track.samples.count + count)
        for number in 0..<count {
            let duration = word & 0x100 != 0 ? fields.u32() : values.duration
            let size = word & 0x200 != 0 ? fields.u32() : values.size
            var flags = word & 0x400 != 0 ? fields.u32() : values.flags
            if number == 0, let firstFlags { flags = firstFlags }
            var shift: Int64 = 0
            if word & 0x800 != 0 {
                let raw = fields.u32()
                shift = isSigned ? Int64(Int32(bitPattern: raw)) : Int64(raw)
            }
            track.samples.append(
                .init(duration: duration, size: size, flags: flags, compositionOffset: shift, offset: next))
            next = next &+ Int(size)
        }
    }
}
