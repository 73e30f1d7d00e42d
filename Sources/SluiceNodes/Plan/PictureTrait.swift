import SluiceBitstream
package import SluiceCore

/// What pictures are that not every decoder or display takes.
public enum PictureTrait: String, Sendable, Hashable, CaseIterable {
    /// H.264 in fields, or in frames of two fields (PAFF, MBAFF): it combs where nobody deinterlaces.
    case fields = "h264-fields"
    /// Progressive pictures in the syntax of fields.
    case segmentedFrames = "h264-psf"
    /// H.264 of more than 8 bits.
    case deepH264 = "h264-10bit"
    /// H.264 with chroma of more than 4:2:0.
    case fullChromaH264 = "h264-422"
    /// HEVC beyond Main and Main 10: 4:2:2, 4:4:4 or more than 10 bits.
    case rangeHEVC = "hevc-range"
    /// AV1 beyond its main profile.
    case highAV1 = "av1-high"
    /// VP9 with chroma of more than 4:2:0.
    case highVP9 = "vp9-high"
    /// Both views of a 3D picture in one track of H.264 (MVC).
    case bothViews = "mvc"
    /// Both views of a 3D picture beside or above each other in one frame.
    case framePacked = "frame-packed"
    /// HEVC with a second view in another layer.
    case layeredViews = "mv-hevc"
    /// Pictures do not come at one rate.
    case variableRate = "variable-rate"

    /// What decoders without a word about it do: they show what others show, or a part of it.
    public static let harmless: Set<PictureTrait> = [.segmentedFrames, .framePacked, .layeredViews, .variableRate]

    /// Whether a client that does not take it shows nothing at all, or what nobody should see; else it shows something
    /// worse.
    var isDecisive: Bool { self != .fields && !Self.harmless.contains(self) }

    /// For sentences: what the pictures are.
    var text: String {
        switch self {
        case .fields: "H.264 in fields"
        case .segmentedFrames: "H.264 of whole frames in the syntax of fields"
        case .deepH264: "H.264 of more than 8 bits"
        case .fullChromaH264: "H.264 with chroma of 4:2:2 or 4:4:4"
        case .rangeHEVC: "HEVC of more than 10 bits or with chroma of 4:2:2 or 4:4:4"
        case .highAV1: "AV1 of more than 10 bits or with chroma of 4:2:2 or 4:4:4"
        case .highVP9: "VP9 with chroma of more than 4:2:0"
        case .bothViews: "both views of a 3D picture in one H.264 track"
        case .framePacked: "both views of a 3D picture in one frame"
        case .layeredViews: "HEVC with a second view in another layer"
        case .variableRate: "pictures of variable rate"
        }
    }
}

/// Which graph serves pictures to a client, and why.
package struct PictureTopology: Sendable, Hashable {
    /// `native-loopback` copies; `software` decodes and encodes.
    package var name: String
    /// Whether copying would show the client nothing, so that it is refused while nothing decodes.
    package var isRefused: Bool
    /// One sentence for people.
    package var reason: String

    static let native = "native-loopback"
    static let software = "software"

    /// - Parameters:
    ///   - traits: of the pictures.
    ///   - taken: traits that the client takes.
    package static func choose(_ codec: CodecName, _ traits: [PictureTrait], taken: Set<PictureTrait>)
        -> PictureTopology
    {
        if let trait = traits.first(where: { $0.isDecisive && !taken.contains($0) }) {
            return PictureTopology(
                name: software, isRefused: true, reason: "\(trait.text): the topology '\(software)' decodes it")
        }
        if let trait = traits.first(where: { !$0.isDecisive && !taken.contains($0) }) {
            return PictureTopology(
                name: software, isRefused: false,
                reason:
                    "\(trait.text): the topology '\(software)' deinterlaces it; \(codec) is copied until it is there")
        }
        let named = traits.map(\.text).joined(separator: ", ")
        return PictureTopology(
            name: native, isRefused: false, reason: "\(codec) is copied" + (named.isEmpty ? "" : ": \(named)"))
    }
}
