package import SluiceAV

/// One picture of a bitmap subtitle track, with its times and its place.
package struct BitmapCue: Sendable, Hashable {
    /// Milliseconds of the title.
    package var start: Int64
    package var end: Int64
    package var object: BitmapObject
    /// Which one of its display it is.
    package var number: Int
    /// Pixels of the plane that the object's place counts in.
    package var width: Int
    package var height: Int
}

/// What of a bitmap track is shown when. Pure.
package enum BitmapTimeline {
    /// How long something is shown that nothing ends, in milliseconds.
    package static let cap: Int64 = 30_000

    /// The pictures that are shown within a stretch. A display lasts until the next one of the stream, whatever that is.
    ///
    /// - Parameters:
    ///   - displays: in the order of the stream.
    ///   - plane: what places count in where the stream does not say.
    package static func cues(
        _ displays: [BitmapDisplay], in range: Range<Int64>, plane: (width: Int, height: Int)
    ) -> [BitmapCue] {
        var cues: [BitmapCue] = []
        for (place, display) in displays.enumerated() {
            let start = display.start
            guard start < range.upperBound else { continue }
            let next = displays[(place + 1)...].first { $0.start > start }
            var end = start &+ min(display.duration ?? cap, cap)
            if let next { end = min(end, next.start) }
            guard end > range.lowerBound, end > start else { continue }
            for (number, object) in display.objects.enumerated() {
                let isDeclared = display.width > 0 && display.height > 0
                cues.append(
                    BitmapCue(
                        start: max(0, start), end: end, object: object, number: number,
                        width: isDeclared ? display.width : plane.width,
                        height: isDeclared ? display.height : plane.height))
            }
        }
        return cues
    }
}

/// Where a plane of subtitles lies on the picture. Pure.
package enum BitmapPlacement {
    /// Shares of the picture: left, top, width, height.
    ///
    /// The planes of PGS are as wide as the picture and centred on it, so that those of films whose bars were cut off
    /// keep their places; all others cover the picture whatever their pixels' shape.
    ///
    /// - Note: behaviours SB-23.
    package static func place(
        _ cue: BitmapCue, isDisc: Bool, picture: (width: Int, height: Int)?
    ) -> (x: Double, y: Double, width: Double, height: Double) {
        let (width, height) = (Double(max(1, cue.width)), Double(max(1, cue.height)))
        var scale = 1.0
        var shift = 0.0
        if isDisc, let picture, picture.width > 0, picture.height > 0 {
            // Heights of the picture in units of the plane.
            let shown = Double(picture.height) * width / Double(picture.width)
            scale = height / shown
            shift = (height - shown) / 2 / shown
        }
        return (
            Double(cue.object.x) / width, Double(cue.object.y) / height * scale - shift,
            Double(cue.object.width) / width, Double(cue.object.height) / height * scale
        )
    }
}
