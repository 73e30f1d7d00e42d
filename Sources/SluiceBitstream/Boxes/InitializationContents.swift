public import SluiceCore

/// What an initialization section says, read back.
public struct InitializationContents: Sendable, Hashable {
    public var majorBrand: FourCC
    public var compatibleBrands: [FourCC]
    public var movieTimescale: UInt32
    public var movieDuration: UInt64
    public var tracks: [Track]

    /// One `trak` and its `trex`.
    public struct Track: Sendable, Hashable {
        public var id: UInt32 = 0
        public var flags: UInt32 = 0
        public var duration: UInt64 = 0
        /// 16.16 fixed point.
        public var width: UInt32 = 0
        public var height: UInt32 = 0
        public var matrix: [Int32] = []
        public var timescale: UInt32 = 0
        /// Three letters; nil where the value is outside the alphabet.
        public var language: String?
        public var handler: FourCC = FourCC(rawValue: 0)
        public var edits: [TrackEdit] = []
        public var entries: [Entry] = []
        /// Samples listed in `moov`; 0 in fragmented files.
        public var sampleCount: UInt32 = 0
        public var defaults: SampleDefaults?
    }

    /// A sample entry: fixed fields and the boxes inside.
    public struct Entry: Sendable, Hashable {
        public var code: FourCC
        public var dataReference: UInt16
        /// Video only.
        public var width: UInt16 = 0
        public var height: UInt16 = 0
        /// Audio only.
        public var channels: UInt16 = 0
        public var bitsPerSample: UInt16 = 0
        /// 16.16 fixed point; audio only.
        public var sampleRate: UInt32 = 0
        /// Configuration and other boxes, in order.
        public var boxes: [OpaqueBox] = []

        /// Payload of the first box of a type; nil where there is none.
        public func payload(_ type: FourCC) -> [UInt8]? { boxes.first { $0.type == type }?.payload }
    }

    /// Defaults of `trex` or `tfhd`.
    public struct SampleDefaults: Sendable, Hashable {
        public var description: UInt32 = 1
        public var duration: UInt32 = 0
        public var size: UInt32 = 0
        public var flags: UInt32 = 0

        public init() {}
    }

    /// Reads `ftyp` and `moov`; other boxes on the top level are skipped.
    ///
    /// Throws `.malformedInput` for damaged boxes and where there is no `moov`, `.limitExceeded` beyond 64 tracks.
    public init(_ bytes: [UInt8]) throws(NodeFailure) {
        self = try bytes.withBytes { (buffer) throws(NodeFailure) -> InitializationContents in
            try InitializationContents(reading: buffer)
        }
    }

    private init(reading bytes: UnsafeRawBufferPointer) throws(NodeFailure) {
        majorBrand = FourCC(rawValue: 0)
        compatibleBrands = []
        movieTimescale = 0
        movieDuration = 0
        tracks = []
        var reader = BoxReader(bytes)
        var hasMovie = false
        while let box = try reader.next() {
            if box.type == "ftyp" {
                var fields = ByteReader(bytes, box.payload)
                majorBrand = fields.fourCC()
                fields.skip(4)
                while fields.remaining >= 4 { compatibleBrands.append(fields.fourCC()) }
            } else if box.type == "moov", !hasMovie {
                hasMovie = true
                try readMovie(bytes, box.payload)
            }
        }
        guard hasMovie else { throw NodeFailure(.malformedInput, "no 'moov' in \(bytes.count) bytes") }
    }

    private mutating func readMovie(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(NodeFailure) {
        var defaults: [UInt32: SampleDefaults] = [:]
        var reader = BoxReader(bytes, range)
        while let box = try reader.next() {
            switch box.type {
            case "mvhd":
                var fields = ByteReader(bytes, box.payload)
                let isWide = fields.u32() >> 24 == 1
                fields.skip(isWide ? 16 : 8)
                movieTimescale = fields.u32()
                movieDuration = isWide ? fields.u64() : UInt64(fields.u32())
                if fields.overran { throw Self.short(box) }
            case "trak":
                guard tracks.count < 64 else { throw NodeFailure(.limitExceeded, "more than 64 tracks") }
                tracks.append(try Track(bytes, box.payload))
            case "mvex":
                var inner = BoxReader(bytes, box.payload)
                while let trex = try inner.next() {
                    guard trex.type == "trex", defaults.count < 64 else { continue }
                    var fields = ByteReader(bytes, trex.payload)
                    fields.skip(4)
                    let id = fields.u32()
                    var values = SampleDefaults()
                    values.description = fields.u32()
                    values.duration = fields.u32()
                    values.size = fields.u32()
                    values.flags = fields.u32()
                    if fields.overran { throw Self.short(trex) }
                    defaults[id] = values
                }
            default: break
            }
        }
        for index in tracks.indices { tracks[index].defaults = defaults[tracks[index].id] }
    }

    static func short(_ box: BoxHeader) -> NodeFailure {
        NodeFailure(.malformedInput, "box '\(box.type)' at byte \(box.offset) is too short for its fields")
    }
}
