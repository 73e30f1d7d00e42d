import SluiceCore

/// Whether players can begin with a title's first picture. Pure.
enum OpeningRule {
    /// Pictures before the first IDR picture are given up for it up to this much.
    static let patience = Duration.seconds(10)

    /// The survey, beginning with an IDR picture where the pictures are H.264.
    ///
    /// Decoders of players begin with nothing less: a recovery point alone gives no picture, or a green one. Later
    /// segments may open with recovery points, because a decoder that runs already goes on with them.
    ///
    /// - Throws: `.unsupported` where no IDR picture comes in time.
    /// - Note: behaviours PP-03, LX-16.
    static func openable(_ survey: SourceSurvey) throws(NodeFailure) -> SourceSurvey {
        guard survey.hasLooked, let video = survey.selection.video, let track = survey.tracks[video],
            track.format.codec == "h264", let first = survey.points.first, !isFull(first.kind)
        else { return survey }
        let start = Timestamp(track.times[first.number], track.format.timebase).nanoseconds
        guard let place = survey.points.firstIndex(where: { isFull($0.kind) }) else {
            throw NodeFailure(
                .unsupported, "stream \(video.index): H.264 without an IDR picture; players need one to begin")
        }
        let begin = Timestamp(track.times[survey.points[place].number], track.format.timebase).nanoseconds
        guard begin &- start <= patience.nanoseconds else {
            throw NodeFailure(
                .unsupported,
                "stream \(video.index): the first IDR picture comes \((begin &- start) / 1_000_000) ms late; expected within \(patience)"
            )
        }
        var survey = survey
        survey.points.removeFirst(place)
        return survey
    }

    private static func isFull(_ kind: PictureKind) -> Bool { kind == .idr || kind == .keyFrame }
}
