import Foundation
import TestTools

/// Healthy films, and twins whose tables were damaged as writers in the field damage them.
enum TwinSources {
    private static let picture = ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=25:d=20"]
    private static let sound = ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=20"]

    /// H.264 with a pyramid of three B pictures in closed groups, and sound.
    static let closed = PlanSources.make(
        "twin.mp4", picture + sound + ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "50", "-c:a", "aac"])
    /// H.264 at 24000/1001 whose groups open on recovery points with leading pictures.
    static let open = PlanSources.make(
        "twin-open.mp4",
        ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=24000/1001:d=20"] + sound + [
            "-c:v", "libx264", "-preset", "veryfast", "-x264-params", "open-gop=1:bframes=3:keyint=48:min-keyint=24",
            "-c:a", "aac",
        ])
    /// HEVC: open groups, pyramids.
    static let high = PlanSources.make(
        "twin-hevc.mp4", picture + sound + x265("open-gop=1:keyint=50:min-keyint=50:bframes=4:b-pyramid=1"))
    /// HEVC with mini groups of eight in a hierarchy, longer than what a group's head shows.
    static let hierarchy = PlanSources.make(
        "twin-hierarchy.mp4",
        picture + x265("open-gop=0:keyint=50:min-keyint=50:bframes=8:b-adapt=0:b-pyramid=1:rc-lookahead=20"))
    /// Every group opens on long runs of P pictures: the picture stands still before it moves.
    static let longRuns = PlanSources.make(
        "twin-runs.mp4",
        [
            "-f", "lavfi", "-i", "testsrc2=s=96x54:r=30000/1001:d=20",
        ] + sound + [
            "-c:v", "libx264", "-preset", "veryfast", "-x264-params", "bframes=2:b-adapt=0:keyint=90:scenecut=0",
            "-c:a", "aac",
        ])
    /// H.264 whose pictures come 60 a second for ten seconds, then 20.
    static let variable = PlanSources.make(
        "twin-vfr.mp4",
        ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=60:d=20"] + sound + [
            "-vf", "select='if(lt(t,10),1,not(mod(n,3)))'", "-vsync", "vfr",
        ] + ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "60", "-c:a", "aac"])

    private static func x265(_ parameters: String) -> [String] {
        [
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:scenecut=0:" + parameters,
            "-tag:v", "hvc1", "-c:a", "aac",
        ]
    }

    // MARK: - Damage

    /// A copy whose movie was edited.
    static func edited(
        _ source: Result<String, any Error>, _ name: String, _ edit: (inout MovieEditor) throws -> Void
    ) -> Result<String, any Error> {
        Result {
            var editor = try MovieEditor(source.get())
            try edit(&editor)
            let path = PlanSources.directory + "/" + name
            try editor.write(path)
            return path
        }
    }

    /// The writer kept no composition offsets, but the edit list that trims the reordering.
    static func withoutOffsets(_ source: Result<String, any Error>, _ name: String) -> Result<String, any Error> {
        edited(source, name) { $0.hide("ctts") }
    }

    /// Composition offsets end with the first random access point at or after picture `first`.
    static func offsetsUntil(
        _ source: Result<String, any Error>, _ name: String, first: Int
    ) -> Result<String, any Error> {
        edited(source, name) { editor in
            let (durations, offsets) = try editor.pictureTimes()
            try editor.setPictureTimes(
                decode: sums(durations), offsets: offsets.enumerated().map { $0.offset < first ? $0.element : 0 })
        }
    }

    /// The writer kept no composition offsets and forced the presentation times of the pictures to ascend as they are
    /// coded: each at least `push` ticks behind the one before.
    ///
    /// - Parameters:
    ///   - late: ticks that pictures with these numbers are late by themselves.
    ///   - share: the writer's clock runs fast by one in so many; 0 where it does not.
    static func clamped(
        _ source: Result<String, any Error>, _ name: String, push: Int64, late: [Int: Int64] = [:], share: Int64 = 0
    ) -> Result<String, any Error> {
        edited(source, name) { editor in
            let (durations, offsets) = try editor.pictureTimes()
            let decode = sums(durations)
            let shown = zip(decode, offsets).map { $0 + $1 }
            let first = shown.min() ?? 0
            var times: [Int64] = []
            for (number, time) in shown.enumerated() {
                let wanted = time - first + (late[number] ?? 0) + (share > 0 ? (time - first) / share : 0)
                times.append(max(wanted, times.last.map { $0 + push } ?? wanted))
            }
            try editor.setPictureTimes(decode: times, offsets: nil)
            // Its first picture is shown at 0 without an edit that trims anything.
            editor.hidePictureEdits()
        }
    }

    /// All presentation times are there, each with the picture that was coded at that place.
    static func slots(_ source: Result<String, any Error>, _ name: String) -> Result<String, any Error> {
        edited(source, name) { editor in
            let (durations, offsets) = try editor.pictureTimes()
            let shown = zip(sums(durations), offsets).map { $0 + $1 }.sorted()
            try editor.setPictureTimes(decode: shown.map { $0 - (shown.first ?? 0) }, offsets: nil)
            editor.hidePictureEdits()
        }
    }

    static func sums(_ steps: [Int64]) -> [Int64] {
        var time: Int64 = 0
        return steps.map { step in
            defer { time += step }
            return time
        }
    }
}
