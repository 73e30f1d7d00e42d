/// Parts of HEVC parameter sets that have to be read to get past them.
enum HEVCSyntax {
    /// - Note: ITU-T H.265 §7.3.4.
    static func skipScalingLists(_ bits: inout BitReader) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                if bits.flag() {
                    if size > 1 { _ = bits.se() }
                    for _ in 0..<min(64, 1 << (4 + size * 2)) { _ = bits.se() }
                } else {
                    _ = bits.ue()
                }
                if bits.overran { return }
            }
        }
    }

    /// All short-term reference picture sets of an SPS; false where they are out of range.
    ///
    /// - Note: ITU-T H.265 §7.3.7.
    static func skipReferenceSets(_ bits: inout BitReader) -> Bool {
        let count = bits.ue()
        guard count <= 64 else { return false }
        var previous = 0
        for index in 0..<count {
            let isPredicted = index > 0 && bits.flag()
            if isPredicted {
                bits.skip(1)
                _ = bits.ue()
                var pictures = 0
                for _ in 0...previous {
                    let isUsed = bits.flag()
                    let isDelta = isUsed || bits.flag()
                    if isDelta { pictures += 1 }
                }
                previous = pictures
            } else {
                let negative = bits.ue()
                let positive = bits.ue()
                guard negative <= 16, positive <= 16 else { return false }
                for _ in 0..<(negative + positive) {
                    _ = bits.ue()
                    bits.skip(1)
                }
                previous = Int(negative + positive)
            }
            guard !bits.overran, previous <= 32 else { return false }
        }
        return true
    }

    /// `hrd_parameters(1, maxSubLayersMinus1)`.
    ///
    /// - Note: ITU-T H.265 Annex E.2.2.
    static func skipBuffering(_ bits: inout BitReader, layers: Int) {
        let nal = bits.flag()
        let vcl = bits.flag()
        var hasSubPictures = false
        if nal || vcl {
            hasSubPictures = bits.flag()
            if hasSubPictures { bits.skip(19) }
            bits.skip(8)
            if hasSubPictures { bits.skip(4) }
            bits.skip(15)
        }
        for _ in 0...layers {
            let isFixedGeneral = bits.flag()
            let isFixed = isFixedGeneral || bits.flag()
            var isLowDelay = false
            if isFixed { _ = bits.ue() } else { isLowDelay = bits.flag() }
            let count = isLowDelay ? 0 : bits.ue()
            guard count < 32, !bits.overran else { return bits.skip(.max) }
            for _ in 0..<(nal ? count + 1 : 0) + (vcl ? count + 1 : 0) {
                _ = bits.ue()
                _ = bits.ue()
                if hasSubPictures {
                    _ = bits.ue()
                    _ = bits.ue()
                }
                bits.skip(1)
            }
        }
    }
}
