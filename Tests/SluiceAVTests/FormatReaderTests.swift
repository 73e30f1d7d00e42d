import SluiceAV
import SluiceCore
import Testing

private func open(_ path: String, budget: ProbeBudget = .playback) throws -> FormatReader {
    try FormatReader(source: MemorySource(contentsOf: path), hint: path, budget: budget)
}

private func ratio(_ text: String) -> [Int] { text.split(separator: "/").compactMap { Int($0) } }

/// Every fact of every stream that ffprobe prints, for the three container families.
private func compareStreams(_ path: String) throws {
    let oracle = try Tool.probe(path)
    let reader = try open(path)
    #expect(reader.formatName == oracle.format.format_name)
    #expect(reader.streams.count == oracle.streams.count)
    if let text = oracle.format.duration, let seconds = Double(text) {
        let duration = reader.duration
        let measured = try #require(duration)
        #expect(abs(measured.inSeconds - seconds) < 1e-5)
    }
    if let text = oracle.format.start_time, let seconds = Double(text) {
        let start = reader.startTime
        let measured = try #require(start)
        #expect(abs(measured.seconds - seconds) < 1e-5)
    }
    for (format, stream) in zip(reader.streams, oracle.streams) {
        #expect(format.id.index == stream.index)
        #expect(format.type.rawValue == stream.codec_type)
        #expect(format.codec.rawValue == stream.codec_name)
        #expect("0x" + String(format.codecTag, radix: 16).leftPadded(4) == stream.codec_tag)
        #expect([Int(format.timebase.numerator), Int(format.timebase.denominator)] == ratio(stream.time_base))
        #expect(format.startTicks == stream.start_pts)
        #expect(format.durationTicks == stream.duration_ts)
        #expect(format.extradata.count == stream.extradata_size ?? 0)
        #expect(format.bitRate == stream.bit_rate.flatMap { Int($0) })
        #expect(format.disposition.contains(.isDefault) == (stream.disposition["default"] == 1))
        #expect(format.disposition.contains(.commentary) == (stream.disposition["comment"] == 1))
        #expect(format.parked == nil)
        if format.type == .video {
            let video = try #require(format.video)
            #expect(video.width == stream.width && video.height == stream.height)
            #expect(video.pixelFormat == stream.pix_fmt)
            #expect(video.reorderDepth == stream.has_b_frames)
            #expect(format.level == stream.level)
            #expect(video.interlaced == (stream.field_order == "progressive" ? false : nil))
            let period = try #require(video.framePeriod)
            #expect([Int(period.denominator), Int(period.numerator)] == ratio(stream.r_frame_rate))
            #expect(video.rotation == 0)
        } else {
            let audio = try #require(format.audio)
            #expect(String(audio.sampleRate) == stream.sample_rate)
            #expect(audio.channels == stream.channels && audio.layout == stream.channel_layout)
            #expect(audio.sampleFormat == stream.sample_fmt)
            #expect(audio.priming == stream.initial_padding ?? 0)
            #expect(audio.frameSize == 1_024, "AAC-LC, ISO/IEC 14496-3 §4.5.2.1.1")
        }
    }
}

private func comparePackets(_ path: String) throws {
    let oracle = try Tool.probe(path).packets
    var reader = try open(path)
    var count = 0
    while let packet = try reader.readPacket() {
        guard count < oracle.count else { break }
        let expected = oracle[count]
        #expect(packet.stream.index == expected.stream_index)
        #expect(packet.presentationTicks == expected.pts, "packet \(count)")
        #expect(packet.decodeTicks == expected.dts, "packet \(count)")
        #expect(packet.durationTicks == expected.duration ?? 0)
        #expect(String(packet.byteCount) == expected.size)
        #expect(packet.filePosition.map(String.init) == expected.pos)
        #expect(packet.isKeyframe == expected.flags.contains("K"))
        #expect(packet.isDiscardable == expected.flags.contains("D"))
        #expect(packet.timebase == reader.streams[packet.stream.index].timebase)
        #expect(packet.timelinePosition == (packet.decodeTime ?? packet.presentationTime)?.nanoseconds)
        count += 1
    }
    #expect(count == oracle.count && count > 700, "12 s of 24 pictures and 46.9 sound packets a second")
    #expect(reader.endReason == .sourceEnded)
    #expect(try reader.readPacket() == nil, "an end stays an end")
    #expect(reader.damagedReads == 0)
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}

@Suite(.enabled(if: Tool.isPresent)) struct FormatReaderTests {
    @Test func matroskaStreamsAreThoseOfFFprobe() throws { try compareStreams(Sample.matroska.get()) }
    @Test func mp4StreamsAreThoseOfFFprobe() throws { try compareStreams(Sample.mp4.get()) }
    @Test func transportStreamsAreThoseOfFFprobe() throws { try compareStreams(Sample.transport.get()) }
    @Test func matroskaPacketsAreThoseOfFFprobe() throws { try comparePackets(Sample.matroska.get()) }
    @Test func mp4PacketsAreThoseOfFFprobe() throws { try comparePackets(Sample.mp4.get()) }
    @Test func transportPacketsAreThoseOfFFprobe() throws { try comparePackets(Sample.transport.get()) }

    @Test func languageIsLowerCasedAndTitleKept() throws {
        let reader = try open(Sample.matroska.get())
        #expect(reader.streams[1].language == "ger" && reader.streams[1].title == "Ton")
        #expect(reader.streams[0].language == nil, "absent or und")
        let mp4 = try open(Sample.mp4.get())
        #expect(mp4.streams[0].language == nil, "MP4 writes und")
        #expect(mp4.metadata(of: StreamID(0))["handler_name"] == "VideoHandler")
        #expect(mp4.metadata["major_brand"] == "isom")
        #expect(mp4.metadata(of: StreamID(99)) == [:])
    }

    @Test func onlySelectedStreamsAreRead() throws {
        var reader = try open(Sample.matroska.get())
        reader.select([StreamID(1)])
        #expect(reader.streams.map(\.parked) == [.notSelected, nil])
        var streams: Set<Int> = []
        var count = 0
        while let packet = try reader.readPacket() {
            streams.insert(packet.stream.index)
            count += 1
        }
        #expect(streams == [1])
        let expected = try Tool.probe(Sample.matroska.get()).packets.filter { $0.stream_index == 1 }.count
        #expect(count == expected, "packets the probe had queued are not lost")
        #expect(reader.endReason == .sourceEnded)
    }

    @Test func rewindReadsTheSamePacketsAgain() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            var reader = try open(path)
            var first: [[UInt8]] = []
            for _ in 0..<20 { if let packet = try reader.readPacket() { first.append(packet.bytes) } }
            try reader.rewind()
            var again: [[UInt8]] = []
            for _ in 0..<20 { if let packet = try reader.readPacket() { again.append(packet.bytes) } }
            #expect(first.count == 20 && first == again, "\(path)")
        }
    }

    @Test func sequentialSourceIsReadButNotSought() throws {
        let source = MemorySource(try Sample.bytes(Sample.matroska.get()), isSeekable: false, declaresSize: false)
        var reader = try FormatReader(source: source)
        var count = 0
        while try reader.readPacket() != nil { count += 1 }
        #expect(try count == Tool.probe(Sample.matroska.get()).packets.count)
        #expect(throws: NodeFailure.self) { try reader.rewind() }
    }

    /// RD-19: the index lies behind the media, which one pass cannot reach.
    @Test func sequentialMP4WithItsIndexAtTheEndFailsAtOpen() throws {
        let path = try Sample.make(
            "tail.mp4", ["-v", "error", "-y", "-i", Sample.mp4.get(), "-c", "copy", "-movflags", "-faststart"])
        let source = MemorySource(try Sample.bytes(path), isSeekable: false, declaresSize: false)
        #expect(throws: NodeFailure.self) { _ = try FormatReader(source: source) }
        #expect(try FormatReader(source: MemorySource(contentsOf: path)).streams.count == 2)
    }

    @Test func chaptersRunToTheNextStart() throws {
        let script = try Sample.write(
            "chapters.txt",
            Array(
                ";FFMETADATA1\ntitle=Film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=0\ntitle=Opening\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=4000\nEND=9000\n"
                    .utf8))
        let path = try Sample.make(
            "chapters.mkv",
            [
                "-v", "error", "-y", "-i", Sample.matroska.get(), "-i", script, "-map_metadata", "1", "-map_chapters",
                "1", "-c", "copy",
            ])
        let reader = try open(path)
        #expect(reader.chapters.map(\.title) == ["Opening", "Chapter 2"])
        #expect(reader.chapters.map(\.start) == [Timestamp(seconds: 0), Timestamp(seconds: 4)])
        #expect(reader.chapters.map(\.duration) == [.seconds(4), .seconds(5)])
        #expect(reader.metadata["title"] == "Film")
    }

    /// DM-03, DM-19: a 0x0 cover must not cost the probe its budget, and fonts are files, not streams.
    @Test func coverAndFontAreSetApart() throws {
        let cover = try Sample.make(
            "cover.jpg", ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1"])
        let font = try Sample.write("face.ttf", [0, 1, 0, 0] + Array(repeating: 7, count: 500))
        let path = try Sample.make(
            "attached.mkv",
            [
                "-v", "error", "-y", "-i", Sample.matroska.get(), "-c", "copy", "-attach", cover, "-metadata:s:2",
                "mimetype=image/jpeg", "-metadata:s:2", "filename=cover.jpg", "-attach", font, "-metadata:s:3",
                "mimetype=application/x-truetype-font", "-metadata:s:3", "filename=face.ttf",
            ])
        var reader = try open(path)
        #expect(reader.streams.map(\.type) == [.video, .audio, .attachment, .attachment])
        #expect(reader.streams.map(\.parked) == [nil, nil, .attachment, .attachment])
        #expect(reader.attachments.map(\.kind) == [.picture, .font])
        #expect(reader.attachments.map(\.fileName) == ["cover.jpg", "face.ttf"])
        #expect(try reader.attachmentBytes(of: StreamID(2)) == Sample.bytes(cover))
        #expect(reader.attachmentBytes(of: StreamID(3)) == [0, 1, 0, 0] + Array(repeating: 7, count: 500))
        #expect(reader.attachmentBytes(of: StreamID(0)) == [])
        reader.select([StreamID(0), StreamID(2)])
        #expect(reader.streams[2].parked == .attachment, "an attachment cannot be selected")
        while let packet = try reader.readPacket() { #expect(packet.stream == StreamID(0)) }
    }

    @Test func openingReadsFarLessThanTheBudgetDespiteACover() throws {
        let cover = try Sample.make(
            "cover2.png", ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1"])
        let path = try Sample.make(
            "song.mp3",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=120", "-i", cover, "-map", "0", "-map", "1",
                "-c:v",
                "copy", "-id3v2_version", "3", "-b:a", "320k",
            ])
        let source = try MemorySource(contentsOf: path)
        let reader = try FormatReader(source: source)
        #expect(reader.streams.map(\.type) == [.audio, .attachment])
        #expect(reader.attachments.first?.kind == .picture)
        #expect(source.readCount < 40, "4.8 MB would be 73 buffers")
    }
}

@Test func probeBudgetKeepsTheDefaultOfAFieldThatCannotBeUsed() {
    #expect(ProbeBudget() == .playback)
    #expect(ProbeBudget.playback.bytes == 52_428_800 && ProbeBudget.playback.analyze == .seconds(60))
    #expect(ProbeBudget(bytes: 4_000_000).analyze == .seconds(60), "one bound does not touch the other")
    #expect(ProbeBudget(bytes: 4_000_000).bytes == 4_000_000)
    #expect(ProbeBudget(analyze: .seconds(5)).bytes == 52_428_800)
    #expect(ProbeBudget(analyze: .zero).analyze == .seconds(60), "zero means a shorter guess to the library")
    #expect(ProbeBudget(bytes: -1, analyze: .seconds(-1)) == .playback)
}
