import SluiceCore

extension InitializationContents.Track {
    /// Reads the payload of a `trak`.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(NodeFailure) {
        var reader = BoxReader(bytes, range)
        while let box = try reader.next() {
            switch box.type {
            case "tkhd": try readHeader(bytes, box)
            case "edts":
                if let list = BoxReader.first("elst", in: bytes, box.payload) { try readEdits(bytes, list) }
            case "mdia": try readMedia(bytes, box.payload)
            default: break
            }
        }
    }

    private mutating func readHeader(_ bytes: UnsafeRawBufferPointer, _ box: BoxHeader) throws(NodeFailure) {
        var fields = ByteReader(bytes, box.payload)
        let word = fields.u32()
        let isWide = word >> 24 == 1
        flags = word & 0xFF_FFFF
        fields.skip(isWide ? 16 : 8)
        id = fields.u32()
        fields.skip(4)
        duration = isWide ? fields.u64() : UInt64(fields.u32())
        fields.skip(16)
        matrix = (0..<9).map { _ in fields.i32() }
        width = fields.u32()
        height = fields.u32()
        if fields.overran { throw InitializationContents.short(box) }
    }

    private mutating func readEdits(_ bytes: UnsafeRawBufferPointer, _ box: BoxHeader) throws(NodeFailure) {
        var fields = ByteReader(bytes, box.payload)
        let isWide = fields.u32() >> 24 == 1
        let count = fields.u32()
        for _ in 0..<min(count, 1_024) {
            let duration = isWide ? fields.u64() : UInt64(fields.u32())
            let time = isWide ? Int64(bitPattern: fields.u64()) : Int64(fields.i32())
            fields.skip(4)
            if fields.overran { throw InitializationContents.short(box) }
            edits.append(TrackEdit(mediaTime: time, duration: duration))
        }
    }

    private mutating func readMedia(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(NodeFailure) {
        var reader = BoxReader(bytes, range)
        while let box = try reader.next() {
            var fields = ByteReader(bytes, box.payload)
            switch box.type {
            case "mdhd":
                let isWide = fields.u32() >> 24 == 1
                fields.skip(isWide ? 16 : 8)
                timescale = fields.u32()
                fields.skip(isWide ? 8 : 4)
                language = LanguageCode.unpacked(fields.u16())
                if fields.overran { throw InitializationContents.short(box) }
            case "hdlr":
                fields.skip(8)
                handler = fields.fourCC()
                if fields.overran { throw InitializationContents.short(box) }
            case "minf":
                if let table = BoxReader.first("stbl", in: bytes, box.payload) {
                    try readTable(bytes, table.payload)
                }
            default: break
            }
        }
    }

    private mutating func readTable(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(NodeFailure) {
        if let sizes = BoxReader.first("stsz", in: bytes, range) {
            var fields = ByteReader(bytes, sizes.payload)
            fields.skip(8)
            sampleCount = fields.u32()
        }
        guard let descriptions = BoxReader.first("stsd", in: bytes, range), descriptions.payload.count >= 8 else {
            return
        }
        let inner = (descriptions.payload.lowerBound + 8)..<descriptions.payload.upperBound
        var reader = BoxReader(bytes, inner)
        while let box = try reader.next(), entries.count < 16 {
            entries.append(try InitializationContents.Entry(bytes, box, handler: handler))
        }
    }
}

extension InitializationContents.Entry {
    /// Reads a sample entry; only `vide` and `soun` tracks have fields beyond the reference.
    init(_ bytes: UnsafeRawBufferPointer, _ box: BoxHeader, handler: FourCC) throws(NodeFailure) {
        var fields = ByteReader(bytes, box.payload)
        code = box.type
        fields.skip(6)
        dataReference = fields.u16()
        switch handler {
        case "vide":
            fields.skip(16)
            width = fields.u16()
            height = fields.u16()
            fields.skip(50)
        case "soun":
            fields.skip(8)
            channels = fields.u16()
            bitsPerSample = fields.u16()
            fields.skip(4)
            sampleRate = fields.u32()
        default: return
        }
        if fields.overran { throw InitializationContents.short(box) }
        var reader = BoxReader(bytes, fields.offset..<box.payload.upperBound)
        while let inner = try reader.next(), boxes.count < 64 {
            boxes.append(OpaqueBox(type: inner.type, payload: [UInt8](bytes[inner.payload])))
        }
    }
}
