import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// What pictures are, and which graph serves them to whom.
@Suite struct PictureTraitTests {
    private func format(
        _ codec: CodecName, _ layout: String = "yuv420p", interlaced: Bool? = false, stereo: String? = nil
    ) -> StreamFormat {
        var format = StreamFormat(id: StreamID(0), type: .video, codec: codec, timebase: .mpeg)
        var video = VideoFormat(width: 640, height: 360)
        (video.pixelFormat, video.interlaced, video.stereoMode) = (layout, interlaced, stereo)
        format.video = video
        return format
    }

    @Test func whatTheContainerSays() {
        let table: [(StreamFormat, [PictureTrait])] = [
            (format("h264"), []), (format("h264", interlaced: true), [.fields]), (format("h264", interlaced: nil), []),
            (format("h264", "yuv420p10le"), [.deepH264]), (format("h264", "yuv422p"), [.fullChromaH264]),
            (format("h264", "yuv444p10le"), [.deepH264, .fullChromaH264]),
            (format("h264", stereo: "block_lr"), [.bothViews]), (format("h264", stereo: "left_right"), [.framePacked]),
            (format("hevc", "yuv420p10le"), []), (format("hevc", "yuv422p10le"), [.rangeHEVC]),
            (format("hevc", "yuv420p12le"), [.rangeHEVC]), (format("hevc", interlaced: true), []),
            (format("av1", "yuv420p10le"), []), (format("av1", "gbrp"), [.highAV1]),
            (format("vp9", "yuv420p10le"), []), (format("vp9", "yuv440p"), [.highVP9]), (format("vp8", "yuv420p"), []),
        ]
        for (format, expected) in table {
            let found = PictureTraitRule.traits(format)
            #expect(found == expected, "\(format.codec) \(format.video?.pixelFormat ?? "")")
        }
    }

    /// The frame packing message: number 0, not cancelled, side by side.
    @Test(arguments: [(UInt8(3), true), (4, true), (5, false)])
    func theMessageOfTheFirstPictureSaysThatViewsArePacked(arrangement: UInt8, isPacked: Bool) {
        // ue(0) = 1, cancel 0, seven bits of the type.
        let bits = UInt16(1) << 15 | UInt16(arrangement) << 7
        let message: [UInt8] = [6, 45, 3, UInt8(bits >> 8), UInt8(bits & 0xFF), 0x80, 0x80]
        var facts = TitleFacts(formatName: "mpegts", streams: [format("h264")], origin: Timestamp(0, .mpeg))
        facts.video = StreamID(0)
        facts.firstUnits[StreamID(0)] = [0, 0, 0, UInt8(message.count)] + message
        let isFound = PictureTraitRule.traits(facts.streams[0], facts: facts).contains(.framePacked)
        #expect(isFound == isPacked)
    }

    @Test func pairedFieldsAndVariableRatesAreSeenInTheFacts() {
        var facts = TitleFacts(
            formatName: "mpegts", streams: [format("h264", interlaced: nil)], origin: Timestamp(0, .mpeg))
        facts.video = StreamID(0)
        facts.joinsPackets = true
        #expect(PictureTraitRule.traits(facts.streams[0], facts: facts) == [.fields])
        facts.joinsPackets = false
        facts.streams[0].video?.framePeriod = Timebase(1, 24)
        facts.peakPeriod = Timebase(1, 60)
        #expect(PictureTraitRule.traits(facts.streams[0], facts: facts) == [.variableRate])
        facts.framePeriod = Timebase(1, 24)
        #expect(PictureTraitRule.traits(facts.streams[0], facts: facts).isEmpty)
    }

    @Test func decisiveTraitsAreRefusedAndOthersAreNamed() {
        let all = ClientCapabilities.everything.traits
        let plain = PictureTrait.harmless
        let table: [([PictureTrait], Set<PictureTrait>, String, Bool)] = [
            ([], plain, "native-loopback", false), ([.fields], all, "native-loopback", false),
            ([.fields], plain, "software", false), ([.deepH264], all, "native-loopback", false),
            ([.deepH264], plain, "software", true), ([.fields, .fullChromaH264], plain, "software", true),
            ([.bothViews], all, "software", true), ([.framePacked], plain, "native-loopback", false),
            ([.layeredViews], plain, "native-loopback", false), ([.segmentedFrames], plain, "native-loopback", false),
            ([.variableRate], plain, "native-loopback", false), ([.rangeHEVC], plain, "software", true),
        ]
        for (traits, taken, name, isRefused) in table {
            let found = PictureTopology.choose("h264", traits, taken: taken)
            #expect(found.name == name && found.isRefused == isRefused, "\(traits)")
            let isNamed = traits.isEmpty || found.reason.contains("copied") || found.reason.contains("software")
            #expect(isNamed, "\(found.reason)")
        }
    }

    @Test func bothViewsInOneTrackAreDecodedAndNotCopied() {
        let route = RoutePolicy.route([format("h264", stereo: "block_rl")])
        #expect(route.video?.means == .encode && route.video?.reason.contains("software") == true)
        #expect(RoutePolicy.route([format("h264", stereo: "top_bottom")]).video?.means == .copy)
        #expect(RoutePolicy.route([format("h264", "yuv422p")]).video?.means == .copy)
        let browser = ClientCapabilities(codecs: ["h264"])
        #expect(RoutePolicy.route([format("h264", "yuv422p")], capabilities: browser).video?.means == .encode)
    }

    private struct Made {
        var name: String
        var options: [String]
        var expected: [PictureTrait]

        init(_ name: String, _ options: [String], _ expected: [PictureTrait]) {
            (self.name, self.options, self.expected) = (name, options, expected)
        }
    }

    /// Files that encoders make: what their parameter sets and messages say.
    @Test(.enabled(if: PlanSources.isPresent)) func madeFilesAreToldByTheirSets() throws {
        let x264 = ["-c:v", "libx264"]
        let list = [
            Made("deep.mp4", x264 + ["-pix_fmt", "yuv422p10le"], [.deepH264, .fullChromaH264]),
            Made("fields.mp4", x264 + ["-flags", "+ildct+ilme", "-x264-params", "tff=1"], [.fields]),
            Made(
                "range.mp4", ["-c:v", "libx265", "-pix_fmt", "yuv422p10le", "-x265-params", "log-level=none"],
                [.rangeHEVC]),
            Made("packed.mp4", x264 + ["-x264-params", "frame-packing=3"], [.framePacked]),
            Made("plain.mp4", x264, []),
        ]
        for made in list {
            let path = try PlanSources.make(
                "trait-" + made.name, ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2"] + made.options
            ).get()
            let title = try PlanBuilder.title(try FileSource(path: path), hint: path)
            let format = try #require(title.facts.streams.first)
            let found = PictureTraitRule.traits(format, facts: title.facts)
            #expect(found == made.expected, "\(made.name)")
        }
        let both = try PlanSources.make(
            "trait-both.mkv",
            ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2"] + x264 + ["-metadata:s:v", "stereo_mode=block_lr"]
        ).get()
        let failure = #expect(throws: NodeFailure.self) {
            try PlanBuilder.title(try FileSource(path: both), hint: both)
        }
        #expect(failure?.code == .unsupported && failure?.message.contains("software") == true)
    }
}
