import SluiceCore
import SluiceDataflow
import SluiceGraph

/// Descriptors of every kind that the graphs of this package name, so that they are checked without their nodes.
enum ToyKinds {
    static let full = NodeCatalog(line + pictures + sound + sinks)
    /// The kinds that the native line alone needs.
    static let native = NodeCatalog(
        (line + sound).filter {
            ["reader", "demuxer", "repair", "audio-bridge", "cutter", "fmp4-muxer", "segment-publisher"].contains(
                $0.kind)
        })

    private static let url = OptionDescriptor("url", .string(), "Where the source is.")

    static let line: [NodeDescriptor] = [
        NodeDescriptor(
            kind: "reader", ports: [.output("bytes", .bytes)],
            options: [
                url,
                OptionDescriptor(
                    "readAhead", .byteSize(65_536...(1 << 30)), default: .byteSize(16 << 20), "Bytes kept ahead."),
            ],
            workingSetBytes: 16 << 20, summary: "Opens a source."),
        NodeDescriptor(
            kind: "demuxer", ports: [.input("bytes", .bytes), .output("packets", .packet)],
            options: [
                OptionDescriptor(
                    "streams", .choice(["all", "served"]), default: .string("all"), "Which streams are sent."),
                OptionDescriptor(
                    "probeSize", .byteSize(2_048...(1 << 30)), default: .byteSize(5 << 20), "Bytes read to look."),
            ],
            mayBlock: true, workingSetBytes: 4 << 20, summary: "Splits a container into packets."),
        filter("repair"), filter("gate", required: false),
        NodeDescriptor(
            kind: "cutter", ports: [.input("packets", .packet), .output("packets", .packet)],
            options: [
                OptionDescriptor(
                    "segmentDuration", .duration(.seconds(1) ... .seconds(30)), default: .duration(.seconds(4)),
                    "Target distance between segment starts.")
            ],
            summary: "Marks where segments start."),
        NodeDescriptor(
            kind: "fmp4-muxer", ports: [.input("packets", .packet), .output("fragments", .fragment)],
            options: [
                OptionDescriptor(
                    "shape", .choice(["renditions", "muxed"]), default: .string("renditions"), "Tracks a playlist.")
            ],
            workingSetBytes: 32 << 20, summary: "Packets to fragments."),
        NodeDescriptor(
            kind: "segment-publisher",
            ports: [
                .input("fragments", .fragment), .input("cues", .cue, required: false),
                .input("bitmaps", .bitmap, required: false),
            ],
            landing: true, summary: "Puts segments into the store."),
        NodeDescriptor(
            kind: "subtitle-tap",
            ports: [
                .input("packets", .packet), .output("packets", .packet), .output("cues", .cue, required: false),
                .output("bitmaps", .packet, required: false),
            ],
            summary: "Copies text cues out."),
        NodeDescriptor(
            kind: "bitmap-harvest", ports: [.input("packets", .packet), .output("bitmaps", .bitmap)], mayBlock: true,
            summary: "Bitmap subtitles to images."),
        NodeDescriptor(
            kind: "stream-splitter",
            ports: [
                .input("packets", .packet), .output("video", .packet, required: false),
                .output("audio", .packet, required: false),
            ],
            summary: "Video one way, audio the other."),
        NodeDescriptor(
            kind: "stream-merger",
            ports: [
                .input("video", .packet), .input("audio", .packet, required: false), .output("packets", .packet),
            ],
            mergeSkew: .seconds(2), summary: "Joins in decode order."),
        NodeDescriptor(
            kind: "live-ingest", ports: [.output("packets", .packet)], options: [url], mayBlock: true,
            workingSetBytes: 64 << 20, summary: "Packets of live playlists."),
    ]

    static let pictures: [NodeDescriptor] = [
        NodeDescriptor(
            kind: "video-decoder", ports: [.input("packets", .packet), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 600 << 20, lookAhead: .milliseconds(500), summary: "Decodes pictures."),
        NodeDescriptor(
            kind: "dav1d-decoder", ports: [.input("packets", .packet), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 600 << 20, lookAhead: .milliseconds(500), summary: "Decodes AV1."),
        NodeDescriptor(
            kind: "deinterlacer", ports: [.input("frames", .frame), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 96 << 20, lookAhead: .milliseconds(80), summary: "Fields to pictures."),
        NodeDescriptor(
            kind: "tone-mapper", ports: [.input("frames", .frame), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 64 << 20, summary: "HDR to SDR."),
        NodeDescriptor(
            kind: "video-encoder", ports: [.input("frames", .frame), .output("packets", .packet)], mayBlock: true,
            workingSetBytes: 600 << 20, lookAhead: .seconds(1), summary: "Encodes pictures."),
    ]

    static let sound: [NodeDescriptor] = [
        NodeDescriptor(
            kind: "audio-bridge", ports: [.input("packets", .packet), .output("packets", .packet)], mayBlock: true,
            workingSetBytes: 1 << 20, lookAhead: .milliseconds(64), summary: "Audio to a codec that players take."),
        NodeDescriptor(
            kind: "audio-decoder", ports: [.input("packets", .packet), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 1 << 20, summary: "Decodes sound."),
        NodeDescriptor(
            kind: "resampler", ports: [.input("frames", .frame), .output("frames", .frame)], mayBlock: true,
            workingSetBytes: 1 << 20, summary: "Changes rate and layout."),
    ]

    static let sinks: [NodeDescriptor] = [
        sink("frame-sink", .input("frames", .frame)), sink("pcm-sink", .input("frames", .frame)),
        sink("cue-sink", .input("cues", .cue)), sink("hash-sink", .input("packets", .packet)),
        sink("file-sink", .input("packets", .packet)), sink("ts-recorder", .input("packets", .packet)),
    ]

    static func filter(
        _ kind: String, required: Bool = true, lookAhead: Duration = .zero
    ) -> NodeDescriptor {
        NodeDescriptor(
            kind: kind,
            ports: [
                .input("packets", .packet, required: required), .output("packets", .packet, required: required),
            ],
            lookAhead: lookAhead, summary: "Passes packets on.")
    }

    private static func sink(_ kind: String, _ port: PortDescriptor) -> NodeDescriptor {
        NodeDescriptor(kind: kind, ports: [port], landing: true, summary: "End of a line.")
    }
}
