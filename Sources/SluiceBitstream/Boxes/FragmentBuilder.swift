public import SluiceCore

/// Makes media segments: `styp`, one `moof`, one `mdat`.
///
/// The header is a pure function of the samples' fields and the segment's index; the payload is a list of references
/// to the samples' own memory. Sample data lie track by track, in the order of `tracks`.
///
/// - Note: ISO/IEC 14496-12 §8.8; RFC 8216 §3.3 (`default-base-is-moof`, `tfdt`).
public enum FragmentBuilder {
    /// Bytes of `mdat`, header included, that a segment may have: 32-bit box sizes and signed 32-bit data offsets.
    public static let payloadLimit = Int(Int32.max)

    /// The segment's bytes as one header chunk and the samples' chunks.
    ///
    /// `index` is the segment's number from 0; `mfhd` carries `index + 1`. Tracks without samples are left out.
    ///
    /// Throws `.limitExceeded` when the payload passes ``payloadLimit``, `.internalInvariant` when there is no sample
    /// at all, an empty sample or an index out of range.
    public static func segment(index: Int, tracks: [TrackFragment]) throws(NodeFailure) -> [ByteChunk] {
        let filled = tracks.filter { !$0.samples.isEmpty }
        let sizes = try sizes(of: filled)
        let header = try header(index: index, tracks: filled, sizes: sizes)
        var chunks: [ByteChunk] = [ByteChunk(header)]
        chunks.reserveCapacity(1 + filled.reduce(0) { $0 + $1.samples.reduce(0) { $0 + $1.chunks.count } })
        for track in filled {
            for sample in track.samples {
                for chunk in sample.chunks where chunk.count > 0 { chunks.append(chunk) }
            }
        }
        return chunks
    }

    private static func sizes(of tracks: [TrackFragment]) throws(NodeFailure) -> [[UInt32]] {
        var total = 0
        var lists: [[UInt32]] = []
        for track in tracks {
            var list: [UInt32] = []
            list.reserveCapacity(track.samples.count)
            for (number, sample) in track.samples.enumerated() {
                let size = sample.size
                guard size > 0 else {
                    throw NodeFailure(
                        .internalInvariant, "track \(track.trackID): sample \(number) of the fragment is empty")
                }
                total += size
                guard total <= payloadLimit - 65_536 else {
                    throw NodeFailure(
                        .limitExceeded,
                        "fragment of more than \(payloadLimit) bytes at track \(track.trackID), sample \(number)")
                }
                list.append(UInt32(clamping: size))
            }
            lists.append(list)
        }
        return lists
    }

    private static func header(
        index: Int, tracks: [TrackFragment], sizes: [[UInt32]]
    ) throws(NodeFailure) -> [UInt8] {
        guard !tracks.isEmpty, index >= 0, index < Int(UInt32.max) else {
            throw NodeFailure(.internalInvariant, "fragment \(index) without samples, or its index out of range")
        }
        let count = sizes.reduce(0) { $0 + $1.count }
        var writer = BoxWriter(capacity: 128 + tracks.count * 96 + count * 16)
        // Brands of a segment repeat what its initialization section promises.
        writer.fileType("styp", major: "msdh", compatible: tracks.count == 1 ? ["msdh", "cmfs"] : ["msdh"])
        let start = writer.bytes.count
        var offsets: [Int] = []
        writer.box("moof") { moof in
            moof.fullBox("mfhd") { $0.u32(UInt32(index) + 1) }
            for (track, sizes) in zip(tracks, sizes) {
                offsets.append(moof.trackFragment(track, plan: TrackRunPlan(track: track, sizes: sizes), sizes: sizes))
            }
        }
        var position = writer.bytes.count - start + 8
        var payload = 0
        for (offset, list) in zip(offsets, sizes) {
            let bytes = list.reduce(0) { $0 + Int($1) }
            guard position <= Int(Int32.max) else {
                throw NodeFailure(.limitExceeded, "fragment \(index): sample data beyond 2 GiB")
            }
            writer.patch(UInt32(position), at: offset)
            position += bytes
            payload += bytes
        }
        writer.u32(UInt32(clamping: payload + 8))
        writer.fourCC("mdat")
        return writer.bytes
    }
}
