public import SluiceCore

/// The `ftyp` and `moov` that precede every media segment of a rendition.
///
/// The bytes are a pure function of the value: no clock, no library version.
///
/// - Note: ISO/IEC 14496-12, RFC 8216 §3.3.
public struct InitializationSection: Sendable, Hashable {
    /// In `moov` order; one for `renditions`, two for `muxed`.
    public var tracks: [TrackDescription]

    public init(tracks: [TrackDescription]) { self.tracks = tracks }

    /// The section's bytes.
    ///
    /// Throws `.internalInvariant` for track lists no file can hold (empty, a repeated or zero id, timescale 0, a
    /// picture beyond 65,535 samples) and `.malformedInput` for codec records that are not what their codec needs.
    public func bytes() throws(NodeFailure) -> [UInt8] {
        try validate()
        var records: [SampleEntry] = []
        for track in tracks { records.append(try track.entry.normalized()) }
        var writer = BoxWriter(capacity: 1024)
        writer.fileType("ftyp", major: "iso6", compatible: brands)
        writer.box("moov") { moov in
            moov.movieHeader(timescale: movieTimescale, nextTrack: nextTrackID)
            for (track, entry) in zip(tracks, records) {
                moov.track(track, entry: entry, movieTimescale: movieTimescale)
            }
            moov.movieExtends(tracks)
        }
        return writer.bytes
    }

    /// `cmfc` promises one track and no offsets that only an edit list can undo; `dby1` tells of Dolby Vision, and the
    /// brand after it what its base layer is.
    private var brands: [FourCC] {
        var list: [FourCC] = ["iso6", "mp41"]
        if tracks.count == 1 { list.append("cmfc") }
        for case .video(let entry) in tracks.map(\.entry) {
            guard let vision = entry.dolbyVision else { continue }
            list.append("dby1")
            if let brand = vision.baseBrand { list.append(brand) }
        }
        return list
    }

    /// Edit durations are counted on the movie's clock, so it is the track's own where there is an edit.
    private var movieTimescale: UInt32 { tracks.first { $0.edit != nil }?.timescale ?? 1_000 }

    private var nextTrackID: UInt32 { (tracks.map(\.id).max() ?? 0) &+ 1 }

    private func validate() throws(NodeFailure) {
        guard !tracks.isEmpty else { throw NodeFailure(.internalInvariant, "initialization section without tracks") }
        var seen: Set<UInt32> = []
        for track in tracks {
            guard track.id > 0, seen.insert(track.id).inserted else {
                throw NodeFailure(.internalInvariant, "track id \(track.id) is zero or used twice; expected unique ids")
            }
            guard track.timescale > 0 else {
                throw NodeFailure(.internalInvariant, "track \(track.id) has timescale 0; expected 1 or above")
            }
            guard case .video(let video) = track.entry else { continue }
            guard (1...65_535).contains(video.width), (1...65_535).contains(video.height) else {
                throw NodeFailure(
                    .unsupported,
                    "track \(track.id): picture of \(video.width)x\(video.height); expected 1 to 65535 each way")
            }
        }
    }
}
