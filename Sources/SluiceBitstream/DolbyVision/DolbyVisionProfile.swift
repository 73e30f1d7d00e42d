/// What kind of Dolby Vision stream an RPU belongs to, as far as its content tells.
///
/// An RPU does not name its profile; it follows from which layers it describes. What AV1 calls profile 10 looks like
/// 5 or 8 here.
///
/// - Note: Dolby Vision Profiles and Levels, version 1.4; the rules are those of dovi_tool.
public enum DolbyVisionProfile: Sendable, Hashable, CustomStringConvertible {
    /// What an enhancement layer adds.
    public enum Enhancement: String, Sendable, Hashable {
        /// Nothing (MEL): the base layer is the whole picture.
        case minimal
        /// A residual (FEL): the base layer alone is another grade.
        case full
    }

    /// What a base layer is without its RPUs; the raw value is `dv_bl_signal_compatibility_id`.
    public enum Base: Int, Sendable, Hashable {
        case hdr10 = 1
        case hlg = 4
    }

    /// SDR base layer with an enhancement layer.
    case profile4
    /// One layer that only Dolby Vision decoders can show.
    case profile5
    /// HDR10 base layer with an enhancement layer; nil where the RPU repeats an earlier one's mapping.
    case profile7(Enhancement?)
    /// One layer of 10 bits that any decoder can show. The base is inferred from the luma curve; the container knows
    /// better. nil where the curve does not tell, or the RPU has none.
    case profile8(Base?)
    /// One layer of 8 bits, which is SDR.
    case profile9

    /// `dv_profile` as configuration records have it for HEVC and AVC.
    public var number: Int {
        switch self {
        case .profile4: 4
        case .profile5: 5
        case .profile7: 7
        case .profile8: 8
        case .profile9: 9
        }
    }

    public var description: String {
        switch self {
        case .profile4, .profile5, .profile9: "\(number)"
        case .profile7(let enhancement): enhancement.map { "7 \($0 == .full ? "FEL" : "MEL")" } ?? "7"
        case .profile8(let base): base.map { "\(number).\($0.rawValue)" } ?? "\(number)"
        }
    }
}

extension DolbyVisionProfile {
    /// nil for heads that no profile has.
    init?(_ header: RPUHeader, _ mapping: RPUMapping?) {
        switch header.profile {
        case 0:
            guard header.isFullRange, header.isResidualDisabled else { return nil }
            self = .profile5
        case 1 where header.hasEnhancementFilter && !header.isResidualDisabled:
            guard header.outputDepth == 12 else {
                self = .profile4
                return
            }
            self = .profile7(mapping?.residual.map { $0.isMinimal(header) ? .minimal : .full })
        case 1: self = header.baseDepth == 8 ? .profile9 : .profile8(Base(header, mapping))
        default: return nil
        }
    }
}

extension DolbyVisionProfile.Base {
    /// HDR10 stays about where it is, and white of HLG comes to lie at 1,000 cd/m², 0.75 of the PQ range.
    init?(_ header: RPUHeader, _ mapping: RPUMapping?) {
        guard let ends = mapping?.curves.first?.ends(depth: header.baseDepth, header.coefficients),
            let white = ends.last, white.place > 0
        else { return nil }
        if ends.allSatisfy({ abs($0.value - $0.place) <= 0.02 }) {
            self = .hdr10
        } else if (0.68..<0.88).contains(white.value / white.place) {
            self = .hlg
        } else {
            return nil
        }
    }
}
