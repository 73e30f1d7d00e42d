// Video sample entries and the boxes inside them.

extension BoxWriter {
    /// - Note: ISO/IEC 14496-12 §12.1.3, ISO/IEC 14496-15, AV1-ISOBMFF §2.2, VP-ISOBMFF.
    mutating func videoEntry(_ entry: VideoSampleEntry, bitRate: TrackDescription.BitRate?) {
        box(entry.code) { box in
            box.zeros(6)
            box.u16(1)
            box.zeros(16)
            box.u16(UInt16(clamping: entry.width))
            box.u16(UInt16(clamping: entry.height))
            box.u32(0x0048_0000)
            box.u32(0x0048_0000)
            box.u32(0)
            box.u16(1)
            box.zeros(32)
            box.u16(0x0018)
            box.u16(0xFFFF)
            switch entry.codec {
            case .avc(let record): box.box("avcC") { $0.raw(record) }
            case .hevc(let record): box.box("hvcC") { $0.raw(record) }
            case .av1(let record): box.box("av1C") { $0.raw(record) }
            case .vp9(let record): box.fullBox("vpcC", version: 1) { $0.raw(record) }
            }
            if let vision = entry.dolbyVision { box.box(vision.boxType) { $0.raw(vision.bytes) } }
            if let color = entry.color { box.color(color) }
            if !entry.sampleAspect.isSquare {
                box.box("pasp") {
                    $0.u32(entry.sampleAspect.width)
                    $0.u32(entry.sampleAspect.height)
                }
            }
            if let light = entry.contentLight {
                box.box("clli") {
                    $0.u16(light.maximumContent)
                    $0.u16(light.maximumFrameAverage)
                }
            }
            if let mastering = entry.mastering { box.masteringDisplay(mastering) }
            if let bitRate { box.bitRate(bitRate) }
        }
    }

    private mutating func color(_ color: ColorDescription) {
        box("colr") {
            $0.fourCC("nclx")
            $0.u16(UInt16(color.primaries))
            $0.u16(UInt16(color.transfer))
            $0.u16(UInt16(color.matrix))
            $0.u8(color.fullRange ? 0x80 : 0)
        }
    }

    private mutating func masteringDisplay(_ display: MasteringDisplay) {
        box("mdcv") { box in
            for value in display.primaries + display.whitePoint { box.u16(value) }
            box.u32(display.maximumLuminance)
            box.u32(display.minimumLuminance)
        }
    }

    mutating func bitRate(_ rate: TrackDescription.BitRate) {
        box("btrt") {
            $0.u32(rate.bufferSize)
            $0.u32(rate.maximum)
            $0.u32(rate.average)
        }
    }
}
