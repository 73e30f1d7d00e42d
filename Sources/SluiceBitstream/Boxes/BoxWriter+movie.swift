// The boxes of `ftyp` and `moov` above the sample description.

extension BoxWriter {
    /// `ftyp` or `styp`.
    mutating func fileType(_ type: FourCC, major: FourCC, compatible: [FourCC]) {
        box(type) { box in
            box.fourCC(major)
            box.u32(0)
            for brand in compatible { box.fourCC(brand) }
        }
    }

    /// `mvhd` with zero times and duration: the length of a title is the playlist's business.
    mutating func movieHeader(timescale: UInt32, nextTrack: UInt32) {
        fullBox("mvhd") { box in
            box.u32(0)
            box.u32(0)
            box.u32(timescale)
            box.u32(0)
            box.u32(0x0001_0000)
            box.u16(0x0100)
            box.zeros(10)
            for value in DisplayRotation.none.matrix(width: 0, height: 0) { box.i32(value) }
            box.zeros(24)
            box.u32(nextTrack)
        }
    }

    /// `mvex` with one `trex` a track; all defaults zero, each fragment states its own.
    mutating func movieExtends(_ tracks: [TrackDescription]) {
        box("mvex") { box in
            for track in tracks {
                box.fullBox("trex") { trex in
                    trex.u32(track.id)
                    trex.u32(1)
                    trex.zeros(12)
                }
            }
        }
    }

    mutating func track(_ track: TrackDescription, entry: SampleEntry, movieTimescale: UInt32) {
        box("trak") { trak in
            trak.trackHeader(track, entry: entry)
            if let edit = track.edit { trak.editList(edit, track: track, movieTimescale: movieTimescale) }
            trak.box("mdia") { mdia in
                mdia.mediaHeader(track)
                mdia.handler(entry)
                mdia.box("minf") { minf in
                    minf.mediaInformation(entry)
                    minf.sampleTable(entry, track: track)
                }
            }
        }
    }

    /// `tkhd`: enabled and in the movie; size as displayed, before rotation.
    private mutating func trackHeader(_ track: TrackDescription, entry: SampleEntry) {
        var width: UInt32 = 0
        var height: UInt32 = 0
        var volume: UInt16 = 0x0100
        if case .video(let video) = entry {
            volume = 0
            width = video.displayWidth
            height = UInt32(clamping: video.height) << 16
        }
        fullBox("tkhd", flags: 3) { box in
            box.u32(0)
            box.u32(0)
            box.u32(track.id)
            box.u32(0)
            box.u32(0)
            box.zeros(8)
            box.u16(0)
            box.u16(0)
            box.u16(volume)
            box.u16(0)
            for value in track.rotation.matrix(width: width, height: height) { box.i32(value) }
            box.u32(width)
            box.u32(height)
        }
    }

    /// `edts` with a single `elst` entry.
    private mutating func editList(_ edit: TrackEdit, track: TrackDescription, movieTimescale: UInt32) {
        let scaled = edit.duration.multipliedFullWidth(by: UInt64(movieTimescale))
        let divisor = UInt64(max(1, track.timescale))
        let duration = scaled.high < divisor ? divisor.dividingFullWidth(scaled).quotient : .max
        let wide = duration > UInt64(UInt32.max) || edit.mediaTime > Int64(Int32.max) || edit.mediaTime < 0
        box("edts") { edts in
            edts.fullBox("elst", version: wide ? 1 : 0) { box in
                box.u32(1)
                if wide {
                    box.u64(duration)
                    box.u64(UInt64(bitPattern: edit.mediaTime))
                } else {
                    box.u32(UInt32(clamping: duration))
                    box.i32(Int32(clamping: edit.mediaTime))
                }
                box.u32(0x0001_0000)
            }
        }
    }

    /// `mdhd` and, where three letters cannot say it, `elng`.
    private mutating func mediaHeader(_ track: TrackDescription) {
        fullBox("mdhd") { box in
            box.u32(0)
            box.u32(0)
            box.u32(track.timescale)
            box.u32(0)
            box.u16(LanguageCode.packed(track.language))
            box.u16(0)
        }
        if let language = track.language, LanguageCode.needsExtendedTag(language) {
            fullBox("elng") { $0.cString(language) }
        }
    }

    private mutating func handler(_ entry: SampleEntry) {
        fullBox("hdlr") { box in
            box.u32(0)
            switch entry {
            case .video:
                box.fourCC("vide")
                box.zeros(12)
                box.cString("VideoHandler")
            case .audio:
                box.fourCC("soun")
                box.zeros(12)
                box.cString("SoundHandler")
            }
        }
    }

    /// `vmhd` or `smhd`, and a `dinf` that says the media is in this very file.
    private mutating func mediaInformation(_ entry: SampleEntry) {
        switch entry {
        case .video: fullBox("vmhd", flags: 1) { $0.zeros(8) }
        case .audio: fullBox("smhd") { $0.zeros(4) }
        }
        box("dinf") { dinf in
            dinf.fullBox("dref") { dref in
                dref.u32(1)
                dref.fullBox("url ", flags: 1) { _ in }
            }
        }
    }

    /// `stbl`: one sample description, no samples.
    private mutating func sampleTable(_ entry: SampleEntry, track: TrackDescription) {
        box("stbl") { stbl in
            stbl.fullBox("stsd") { stsd in
                stsd.u32(1)
                switch entry {
                case .video(let video): stsd.videoEntry(video, bitRate: track.bitRate)
                case .audio(let audio): stsd.audioEntry(audio, bitRate: track.bitRate)
                }
            }
            stbl.fullBox("stts") { $0.u32(0) }
            stbl.fullBox("stsc") { $0.u32(0) }
            stbl.fullBox("stsz") { $0.zeros(8) }
            stbl.fullBox("stco") { $0.u32(0) }
        }
    }
}

extension VideoSampleEntry {
    /// Width in square samples, 16.16 fixed point, rounded to nearest.
    var displayWidth: UInt32 {
        let wide = UInt64(UInt32(clamping: width)) << 16
        let numerator = wide.multipliedReportingOverflow(by: UInt64(sampleAspect.width))
        guard !numerator.overflow else { return UInt32(clamping: wide) }
        let divisor = UInt64(sampleAspect.height)
        return UInt32(clamping: (numerator.partialValue &+ divisor / 2) / divisor)
    }
}
