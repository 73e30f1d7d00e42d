internal import CFFmpeg
import SluiceCore

extension SideData.Kind {
    private static let table: [(type: AVPacketSideDataType, kind: SideData.Kind)] = [
        (AV_PKT_DATA_NEW_EXTRADATA, .newExtradata),
        (AV_PKT_DATA_SKIP_SAMPLES, .skipSamples),
        (AV_PKT_DATA_PALETTE, .palette),
        (AV_PKT_DATA_PARAM_CHANGE, .parameterChange),
        (AV_PKT_DATA_DISPLAYMATRIX, .displayMatrix),
        (AV_PKT_DATA_STEREO3D, .stereo3D),
        (AV_PKT_DATA_MASTERING_DISPLAY_METADATA, .masteringDisplay),
        (AV_PKT_DATA_CONTENT_LIGHT_LEVEL, .contentLightLevel),
        (AV_PKT_DATA_DOVI_CONF, .dolbyVisionConfiguration),
        (AV_PKT_DATA_DYNAMIC_HDR10_PLUS, .hdr10Plus),
        (AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, .blockAdditional),
        (AV_PKT_DATA_WEBVTT_IDENTIFIER, .webVTTIdentifier),
        (AV_PKT_DATA_WEBVTT_SETTINGS, .webVTTSettings),
        (AV_PKT_DATA_A53_CC, .closedCaptions),
        (AV_PKT_DATA_MPEGTS_STREAM_ID, .transportStreamID),
        (AV_PKT_DATA_STRINGS_METADATA, .stringMetadata),
        (AV_PKT_DATA_METADATA_UPDATE, .metadataUpdate),
    ]

    init(_ type: AVPacketSideDataType) {
        if let known = Self.table.first(where: { $0.type == type }) {
            self = known.kind
        } else if let name = av_packet_side_data_name(type) {
            self.init(rawValue: String(cString: name))
        } else {
            self.init(rawValue: "type \(type.rawValue)")
        }
    }

    /// The library's number, or nil for a kind that only carries its description.
    var packetType: AVPacketSideDataType? { Self.table.first { $0.kind == self }?.type }
}
