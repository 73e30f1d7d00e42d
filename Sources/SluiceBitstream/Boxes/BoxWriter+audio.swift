// Audio sample entries and the boxes inside them.

extension BoxWriter {
    /// - Note: ISO/IEC 14496-12 §12.2.3, ISO/IEC 14496-14 §5.6, ETSI TS 102 366 Annex F, FLAC-in-ISOBMFF,
    ///   Opus-in-ISOBMFF.
    mutating func audioEntry(_ entry: AudioSampleEntry, bitRate: TrackDescription.BitRate?) {
        box(entry.code) { box in
            box.zeros(6)
            box.u16(1)
            box.zeros(8)
            box.u16(UInt16(clamping: entry.channels))
            box.u16(UInt16(clamping: entry.bitsPerSample))
            box.zeros(4)
            box.u32(UInt32(entry.entryRate) << 16)
            switch entry.codec {
            case .mp4a(let config): box.elementaryStream(objectType: 0x40, config: config, bitRate: bitRate)
            case .mpeg(let objectType): box.elementaryStream(objectType: objectType, config: [], bitRate: bitRate)
            case .ac3(let record): box.box("dac3") { $0.raw(record) }
            case .eac3(let record): box.box("dec3") { $0.raw(record) }
            case .flac(let streamInfo): box.flac(streamInfo)
            case .alac(let cookie): box.fullBox("alac") { $0.raw(cookie) }
            case .opus(let record): box.box("dOps") { $0.raw(record) }
            }
            if let bitRate { box.bitRate(bitRate) }
        }
    }

    /// `dfLa` with STREAMINFO as its only, and therefore last, metadata block.
    private mutating func flac(_ streamInfo: [UInt8]) {
        fullBox("dfLa") {
            $0.u8(0x80)
            $0.u24(UInt32(clamping: streamInfo.count))
            $0.raw(streamInfo)
        }
    }

    /// `esds`.
    ///
    /// - Note: ISO/IEC 14496-1 §7.2.6; ES_ID is 0 in files (ISO/IEC 14496-14 §3.1.2).
    private mutating func elementaryStream(objectType: UInt8, config: [UInt8], bitRate: TrackDescription.BitRate?) {
        var decoder = BoxWriter(capacity: 64)
        decoder.u8(objectType)
        // Audio stream (5), not upstream, reserved bit 1.
        decoder.u8(0x15)
        decoder.u24(min(bitRate?.bufferSize ?? 0, 0xFF_FFFF))
        decoder.u32(bitRate?.maximum ?? 0)
        decoder.u32(bitRate?.average ?? 0)
        if !config.isEmpty { decoder.descriptor(0x05, config) }
        var stream = BoxWriter(capacity: 64)
        stream.u16(0)
        stream.u8(0)
        stream.descriptor(0x04, decoder.bytes)
        stream.descriptor(0x06, [0x02])
        fullBox("esds") { $0.descriptor(0x03, stream.bytes) }
    }

    /// A tag, its length in groups of seven bits, its content.
    private mutating func descriptor(_ tag: UInt8, _ content: [UInt8]) {
        u8(tag)
        for shift in [21, 14, 7] where content.count >> shift > 0 {
            u8(0x80 | UInt8(truncatingIfNeeded: content.count >> shift))
        }
        u8(UInt8(truncatingIfNeeded: content.count & 0x7F))
        raw(content)
    }
}

extension AudioSampleEntry {
    /// The integer part of the entry's 16.16 sample rate.
    ///
    /// Rates beyond 65,535 Hz do not fit: FLAC writes the largest regular division that does, others write 0.
    var entryRate: UInt16 {
        if case .opus = codec { return 48_000 }
        guard sampleRate > 65_535 else { return UInt16(clamping: sampleRate) }
        guard case .flac = codec else { return 0 }
        var rate = sampleRate
        while rate > 65_535, rate % 2 == 0 { rate /= 2 }
        return rate > 65_535 ? 0 : UInt16(rate)
    }
}
