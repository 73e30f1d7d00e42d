import SluiceBitstream
package import SluiceCore

/// Finds the enhancement layer of pictures that comes in a stream of its own: a second track, or a transport PID of its
/// own as on discs. What is wanted of it are the RPUs. Pure.
package enum EnhancementRule {
    /// - Returns: nil where the pictures have their RPUs themselves, or no other stream can have them.
    package static func companion(_ streams: [StreamFormat], of video: StreamID?, _ formatName: String) -> StreamID? {
        guard let base = streams.first(where: { $0.id == video }), base.codec == "hevc",
            base.video?.dolbyVision == nil, let size = base.video
        else { return nil }
        let others = streams.filter { $0.id != video && $0.type == .video && $0.codec == "hevc" && $0.parked == nil }
        let declared = others.first { format in
            format.video?.dolbyVision.map { $0.hasEnhancementLayer && $0.hasMetadata && !$0.hasBaseLayer } ?? false
        }
        if let declared { return declared.id }
        // Discs declare nothing: there the layer has half the size each way, or the same.
        guard formatName == "mpegts" else { return nil }
        return others.first { format in
            guard let video = format.video, video.width > 0 else { return false }
            return (video.width == size.width && video.height == size.height)
                || (video.width * 2 == size.width && video.height * 2 == size.height)
        }?.id
    }

    /// The RPUs of a picture, from the NAL header on.
    static func rpus(_ bytes: UnsafeRawBufferPointer, _ format: StreamFormat) -> [[UInt8]] {
        guard let framing = NALFraming.measure(bytes, lengthSize: FirstUnitRule.lengthSize(format)) else { return [] }
        return framing.units(of: bytes).filter { HEVCUnitType(header: bytes[$0.lowerBound]) == .dolbyRPU }
            .map { Array(bytes[$0]) }
    }

    /// Bytes of the enhancement layer's units among those of a picture, with what tells them apart.
    static func layerBytes(_ bytes: UnsafeRawBufferPointer, _ framing: NALFraming) -> Int {
        framing.units(of: bytes).reduce(0) { sum, unit in
            guard HEVCUnitType(header: bytes[unit.lowerBound]) == .dolbyEnhancement else { return sum }
            return sum + unit.count + framing.lead(unit.count).count
        }
    }

    /// Units as a sample of that framing has them.
    static func framed(_ units: [[UInt8]], _ framing: NALFraming?) -> [UInt8] {
        units.flatMap { (framing ?? .lengthPrefixed(4)).lead($0.count) + $0 }
    }
}
