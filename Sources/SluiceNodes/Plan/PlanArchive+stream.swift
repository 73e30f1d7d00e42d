import SluiceCore

extension ArchiveWriter {
    mutating func stream(_ format: StreamFormat) {
        number(format.id.index)
        text(format.type.rawValue)
        text(format.codec.rawValue)
        number(Int64(format.codecTag))
        timebase(format.timebase)
        blob(format.extradata)
        optional(format.profile) { $0.number($1) }
        optional(format.level) { $0.number($1) }
        optional(format.bitRate) { $0.number($1) }
        optional(format.startTicks) { $0.number($1) }
        optional(format.durationTicks) { $0.number($1) }
        optional(format.video) { $0.video($1) }
        optional(format.audio) { $0.audio($1) }
        number(Int64(format.disposition.rawValue))
        optional(format.language) { $0.text($1) }
        optional(format.title) { $0.text($1) }
        list(format.sideData) { writer, data in
            writer.text(data.kind.rawValue)
            writer.blob(data.bytes)
        }
        optional(format.parked) { $0.text($1.rawValue) }
        number(format.containerNumber)
        flag(format.isEncrypted)
    }

    private mutating func video(_ video: VideoFormat) {
        for value in [
            video.width, video.height, video.reorderDepth, video.colorPrimaries, video.colorTransfer,
            video.colorMatrix, video.rotation,
        ] { number(value) }
        optional(video.sampleAspect) { $0.timebase($1) }
        optional(video.framePeriod) { $0.timebase($1) }
        flag(video.fullRange)
        optional(video.pixelFormat) { $0.text($1) }
        optional(video.interlaced) { $0.flag($1) }
        optional(video.stereoMode) { $0.text($1) }
        optional(video.dolbyVision) { writer, vision in
            for value in [vision.profile, vision.level, vision.compatibility] { writer.number(value) }
            for value in [vision.hasMetadata, vision.hasEnhancementLayer, vision.hasBaseLayer] { writer.flag(value) }
        }
        optional(video.masteringDisplay) { writer, display in
            for point in [display.red, display.green, display.blue, display.white] {
                writer.number(Int64(point.x))
                writer.number(Int64(point.y))
            }
            writer.number(Int64(display.maximumLuminance))
            writer.number(Int64(display.minimumLuminance))
        }
        optional(video.lightLevel) { writer, light in
            writer.number(light.maximumContent)
            writer.number(light.maximumFrameAverage)
        }
    }

    private mutating func audio(_ audio: AudioFormat) {
        number(audio.sampleRate)
        number(audio.channels)
        optional(audio.layout) { $0.text($1) }
        optional(audio.frameSize) { $0.number($1) }
        number(audio.priming)
        optional(audio.sampleFormat) { $0.text($1) }
        optional(audio.bitsPerSample) { $0.number($1) }
        number(audio.blockAlign)
        number(audio.codedBits)
    }
}

extension ArchiveReader {
    mutating func stream() -> StreamFormat? {
        guard let id = streamID(), let type = text().flatMap({ MediaType(rawValue: $0) }), let codec = text(),
            let tag = number().flatMap({ UInt32(exactly: $0) }), let base = timebase(), let extradata = blob(),
            let profile = optional({ $0.integer() }), let level = optional({ $0.integer() }),
            let bitRate = optional({ $0.integer() }), let start = optional({ $0.number() }),
            let duration = optional({ $0.number() })
        else { return nil }
        var format = StreamFormat(id: id, type: type, codec: CodecName(rawValue: codec), timebase: base)
        (format.codecTag, format.extradata) = (tag, extradata)
        (format.profile, format.level, format.bitRate) = (profile, level, bitRate)
        (format.startTicks, format.durationTicks) = (start, duration)
        guard let video = optional({ $0.video() }), let audio = optional({ $0.audio() }),
            let disposition = number().flatMap({ UInt32(exactly: $0) }), let language = optional({ $0.text() }),
            let title = optional({ $0.text() }), let sideData = list({ $0.sideData() }),
            let parked = optional({ $0.text().flatMap { ParkedReason(rawValue: $0) } }), let place = integer(),
            let isEncrypted = flag()
        else { return nil }
        (format.containerNumber, format.isEncrypted) = (place, isEncrypted)
        (format.video, format.audio, format.disposition) = (video, audio, Disposition(rawValue: disposition))
        (format.language, format.title, format.sideData, format.parked) = (language, title, sideData, parked)
        return format
    }

    private mutating func sideData() -> SideData? {
        guard let kind = text(), let bytes = blob() else { return nil }
        return SideData(kind: SideData.Kind(rawValue: kind), bytes: bytes)
    }

    private mutating func video() -> VideoFormat? {
        guard let width = integer(), let height = integer(), let reorder = integer(), let primaries = integer(),
            let transfer = integer(), let matrix = integer(), let rotation = integer(),
            let aspect = optional({ $0.timebase() }), let period = optional({ $0.timebase() }), let range = flag(),
            let layout = optional({ $0.text() }), let interlaced = optional({ $0.flag() }),
            let stereo = optional({ $0.text() }),
            let vision = optional({ $0.dolbyVision() }), let display = optional({ $0.masteringDisplay() }),
            let light = optional({ $0.lightLevel() })
        else { return nil }
        var video = VideoFormat(width: width, height: height)
        (video.reorderDepth, video.rotation, video.fullRange) = (reorder, rotation, range)
        (video.colorPrimaries, video.colorTransfer, video.colorMatrix) = (primaries, transfer, matrix)
        (video.sampleAspect, video.framePeriod, video.pixelFormat) = (aspect, period, layout)
        (video.interlaced, video.dolbyVision, video.stereoMode) = (interlaced, vision, stereo)
        (video.masteringDisplay, video.lightLevel) = (display, light)
        return video
    }

    private mutating func dolbyVision() -> DolbyVisionConfiguration? {
        guard let profile = integer(), let level = integer(), let compatibility = integer(), let metadata = flag(),
            let enhancement = flag(), let base = flag()
        else { return nil }
        return DolbyVisionConfiguration(
            profile: profile, level: level, hasMetadata: metadata, hasEnhancementLayer: enhancement,
            hasBaseLayer: base, compatibility: compatibility)
    }

    private mutating func masteringDisplay() -> MasteringDisplay? {
        var points: [MasteringDisplay.Point] = []
        for _ in 0..<4 {
            guard let x = number().flatMap({ UInt16(exactly: $0) }), let y = number().flatMap({ UInt16(exactly: $0) })
            else { return nil }
            points.append(MasteringDisplay.Point(x: x, y: y))
        }
        guard let most = number().flatMap({ UInt32(exactly: $0) }),
            let least = number().flatMap({ UInt32(exactly: $0) })
        else { return nil }
        return MasteringDisplay(
            red: points[0], green: points[1], blue: points[2], white: points[3], maximumLuminance: most,
            minimumLuminance: least)
    }

    private mutating func lightLevel() -> ContentLightLevel? {
        guard let content = integer(), let average = integer() else { return nil }
        return ContentLightLevel(maximumContent: content, maximumFrameAverage: average)
    }

    private mutating func audio() -> AudioFormat? {
        guard let rate = integer(), let channels = integer(), let layout = optional({ $0.text() }),
            let frameSize = optional({ $0.integer() }), let priming = integer(),
            let sampleFormat = optional({ $0.text() }), let bits = optional({ $0.integer() }),
            let blockAlign = integer(), let codedBits = integer()
        else { return nil }
        var audio = AudioFormat(sampleRate: rate, channels: channels)
        (audio.layout, audio.frameSize, audio.priming) = (layout, frameSize, priming)
        (audio.sampleFormat, audio.bitsPerSample) = (sampleFormat, bits)
        (audio.blockAlign, audio.codedBits) = (blockAlign, codedBits)
        return audio
    }
}
