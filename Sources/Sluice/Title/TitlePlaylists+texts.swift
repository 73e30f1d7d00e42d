import SluiceBitstream
import SluiceCore
import SluiceNodes

extension TitlePlaylists {
    /// The segments of a text rendition, which are as long as those of the leading playlist; nil for a name the title does
    /// not have.
    func textSegments(_ name: String) -> [MediaSegment]? {
        guard texts.contains(where: { $0.rendition == name }), let lead = layout.entries.first else { return nil }
        return segments(lead).enumerated().map { index, segment in
            var segment = segment
            segment.uri = SegmentKey(rendition: name, role: .media(index: index)).path
            segment.map = nil
            segment.isGap = false
            return segment
        }
    }
}
