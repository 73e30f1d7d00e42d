import SluiceBitstream
import SluiceCore

/// A media segment without media, for a stretch in which a rendition has nothing.
///
/// The playlist marks it with EXT-X-GAP where the plan knows of the hole; players that ask for it all the same, and
/// titles planned from an index alone, get a fragment that says where it lies and that it is empty.
///
/// - Note: ISO/IEC 14496-12 §8.8.7 (`duration-is-empty`).
enum EmptySegment {
    static func bytes(index: Int, tracks: [(id: UInt32, decodeTime: Int64)]) -> [UInt8] {
        var writer = BoxWriter(capacity: 128 + tracks.count * 48)
        writer.box("styp") { box in
            box.fourCC("msdh")
            box.u32(0)
            box.fourCC("msdh")
        }
        writer.box("moof") { moof in
            moof.fullBox("mfhd") { $0.u32(UInt32(clamping: index &+ 1)) }
            for track in tracks {
                moof.box("traf") { traf in
                    traf.fullBox("tfhd", flags: 0x03_0000) { $0.u32(track.id) }
                    traf.fullBox("tfdt", version: 1) { $0.u64(UInt64(clamping: track.decodeTime)) }
                }
            }
        }
        writer.box("mdat") { _ in }
        return writer.bytes
    }
}
