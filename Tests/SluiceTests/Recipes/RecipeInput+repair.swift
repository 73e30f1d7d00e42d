import Foundation
import TestTools
import Testing

/// Inputs whose times, samples or parameter sets a writer or a receiver has spoiled.
extension RecipeInput {
    private static func bytes(_ source: Result<String, any Error>) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: try source.get())))
    }

    private static func edited(
        _ source: Result<String, any Error>, _ name: String, _ edit: (inout MovieEditor) throws -> Void
    ) -> Result<String, any Error> {
        Result {
            var editor = try MovieEditor(source.get())
            try edit(&editor)
            return try write(name, editor.bytes)
        }
    }

    // MARK: - Delays

    /// The tone of 1 s on, moved by 0.7 s against the pictures, or the pictures against it, by an edit list.
    static let delayedSound = shifted("elst.mp4", sound: true)
    static let delayedPictures = shifted("elstv.mp4", sound: false)
    /// The container's own stamps of the sound lie 2.569 s later.
    static let lateSound = Result { () throws -> String in
        let film = try regularMovie.get()
        return try make(
            "adelay.mkv", ["-i", film, "-itsoffset", "2.569", "-i", film, "-map", "0:v", "-map", "1:a", "-c", "copy"]
        ).get()
    }
    private static func shifted(_ name: String, sound: Bool) -> Result<String, any Error> {
        Result {
            let film = try lateTone("aac", "late.mp4").get()
            return try make(
                name,
                [
                    "-i", film, "-itsoffset", "0.7", "-i", film, "-map", sound ? "0:v" : "1:v", "-map",
                    sound ? "1:a" : "0:a", "-c", "copy",
                ]
            ).get()
        }
    }
    /// Sound without anything from 10 to 14 s.
    static let pausedSound = make(
        "gap.mkv",
        picture("25", 24) + tone(24) + ["-af", "aselect='not(between(t,10,14))'"] + x264
            + ["-g", "50", "-c:a", "ac3"])

    // MARK: - Clocks

    private static let broadcast = picture("25", 24) + tone(24) + x264 + ["-g", "50", "-muxdelay", "0"]
    static let transport = make("p1.ts", broadcast + ["-c:a", "ac3"])
    /// Its clock of 33 bits starts again after 10.7 s.
    static let wrapped = make("wrap.ts", broadcast + ["-c:a", "aac", "-output_ts_offset", "95433"])
    static let unwrapped = make("nowrap.ts", broadcast + ["-c:a", "aac", "-output_ts_offset", "100"])
    /// Its milliseconds of 31 bits start again after 7.3 s.
    static let wrappedFlash = copy(regularMovie, "wrap.flv", ["-output_ts_offset", "2147476.352"])
    static let unwrappedFlash = copy(regularMovie, "nowrap.flv", ["-output_ts_offset", "100"])
    static let twoClocks = Result { () throws -> String in
        let part = try bytes(transport)
        return try write("disc.ts", part + part)
    }

    // MARK: - Streams that change, are dead or damaged

    /// Twelve seconds 160 wide, then twelve 320 wide, with parameter sets before every key.
    static let widthChange = Result { () throws -> String in
        var joined: [UInt8] = []
        for part in 0...1 {
            joined += try bytes(
                make(
                    "wide\(part).ts",
                    ["-f", "lavfi", "-i", "testsrc2=s=\(160 + 160 * part)x90:r=25:d=12"] + x264
                        + ["-g", "50", "-muxdelay", "0", "-output_ts_offset", "\(12 * part)"]))
        }
        return try write("wide.ts", joined)
    }
    /// 24 s of small pictures with AC-3, then 24 s of larger ones with AAC under other identifiers.
    static let otherStreams = Result { () throws -> String in
        let next = make(
            "p2.ts",
            ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=24"] + tone(24) + x264 + [
                "-g", "50", "-muxdelay", "0", "-c:a", "aac", "-mpegts_start_pid", "0x200", "-output_ts_offset", "24",
            ])
        return try write("pmt.ts", bytes(transport) + bytes(next))
    }
    /// The same, then HEVC in another program with sound of another rate, then the first again: all clocks of their own.
    static let otherPrograms = Result { () throws -> String in
        let third = make(
            "p3.ts",
            ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=50:d=12", "-f", "lavfi", "-i", "sine=f=500:r=44100:d=12"]
                + x265("open-gop=0:keyint=50") + [
                    "-muxdelay", "0", "-c:a", "aac", "-ar", "44100", "-mpegts_start_pid", "0x300",
                    "-mpegts_service_id", "7",
                ])
        return try write("four.ts", bytes(otherStreams) + bytes(third) + bytes(transport))
    }
    /// The second stream has the identifiers of the first, which meant AC-3 before.
    static let otherCoding = Result { () throws -> String in
        let next = make(
            "p4.ts",
            picture("25", 12) + tone(12) + x264
                + ["-g", "50", "-muxdelay", "0", "-c:a", "aac", "-output_ts_offset", "24"])
        return try write("coding.ts", bytes(transport) + bytes(next))
    }
    static let widthChangeMatroska = copy(widthChange, "wide.mkv")
    static let deadSound = Result { () throws -> String in
        try write("noaud.ts", TransportEditor.dropping(0x101, from: bytes(transport)))
    }
    static let joinedInside = Result { () throws -> String in
        try write("mid.ts", TransportEditor.joined(bytes(transport), at: 0.37))
    }
    static let lossy = Result { () throws -> String in
        try write("loss.ts", TransportEditor.losing(oneOf: 333, from: bytes(transport)))
    }

    // MARK: - Offsets and samples

    static let withoutOffsets = edited(regularMovie, "noctts.mp4") { $0.hide("ctts") }
    static let offsetsToTheMiddle = edited(regularMovie, "partial.mp4") { editor in
        let (durations, offsets) = try editor.pictureTimes()
        var time: Int64 = 0
        let decode = durations.map { step in
            defer { time += step }
            return time
        }
        // The middle of a group, too.
        try editor.setPictureTimes(
            decode: decode, offsets: offsets.enumerated().map { $0.offset < 240 ? $0.element : 0 })
    }
    static let slots = copy(withoutOffsets, "slots.mkv")
    static let slotsTwin = copy(regularMovie, "slots-twin.mkv")
    static let overrun = edited(regularMovie, "overrun.mp4") { editor in
        try editor.overrun(sample: try editor.pictureSamples()[100], by: 5_000)
    }

    // MARK: - Parameter sets, geometry, rates

    private static let inBand = make(
        "hev1.mp4", picture("24000/1001", 12) + x265("repeat-headers=1:keyint=48") + ["-tag:v", "hev1"])
    /// The record says nothing but the profile.
    static let emptyRecord = edited(inBand, "hev1e.mp4") { editor in
        var record = Array(try editor.configuration("hvcC").prefix(23))
        record[22] = 0
        try editor.setConfiguration("hvcC", record)
    }
    static let anamorphic = make(
        "sar.mkv", ["-f", "lavfi", "-i", "testsrc2=s=720x576:r=25:d=2", "-vf", "setsar=64/45"] + x264)
    static let upright = make("r0.mp4", picture("25", 2) + x264)
    static let rotated = copy(upright, "rot.mp4", ["-metadata:s:v", "rotate=90"])
    static let cropped = make("hd.mkv", ["-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=1"] + x264)
    static let television = make("f5994.mkv", picture("60000/1001", 6) + x264 + ["-g", "60"])
    /// The container claims 80 pictures a second.
    static let wrongDuration = Result { () throws -> String in
        var film = try bytes(television)
        let place = try #require(Data(film).range(of: Data([0x23, 0xE3, 0x83]))).upperBound
        let count = Int(film[place] & 0x7F)
        for index in 0..<count { film[place + 1 + index] = UInt8(12_500_000 >> (8 * (count - 1 - index)) & 255) }
        return try write("dd.mkv", film)
    }
    /// 60 a second, then 20.
    static let variable = make(
        "vfr.mkv",
        picture("60", 20) + ["-vf", "select='if(lt(t,10),1,not(mod(n,3)))'", "-vsync", "vfr"] + x264 + ["-g", "60"])
}
