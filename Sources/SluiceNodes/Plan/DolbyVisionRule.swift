public import SluiceBitstream
public import SluiceCore

/// How the Dolby Vision of a picture stream is served.
public struct DolbyVisionService: Sendable, Hashable {
    /// What the initialization section declares; nil where the base layer is served without any claim.
    public var record: DolbyVisionConfiguration?
    /// What becomes of the RPUs in the samples; nil where samples stay as they are.
    public var conversion: DolbyVisionConversion?
    /// One sentence for people.
    public var reason: String
}

/// What a client or an operator asks of Dolby Vision.
public enum DolbyVisionHandling: String, Sendable, Hashable, CaseIterable {
    /// What the source is, as far as players know it: profile 7 becomes 8.1.
    case auto
    /// The base layer, where there is one, without any claim and without RPUs.
    case base
    /// Profile 8.1 is declared as 5, so that players compose it also for displays that know nothing of it.
    case force
}

/// Decides how Dolby Vision is served, from what the container declares and what the first RPU says. Pure.
///
/// - Note: behaviours CR-07 to CR-10, CR-25 to CR-29; Dolby Vision Profiles and Levels 1.4.
enum DolbyVisionRule {
    /// What the decision is made from.
    struct Source: Sendable, Hashable {
        var codec: CodecName
        /// What the container declares.
        var declared: DolbyVisionConfiguration?
        var rpu: DolbyVisionProfile?
        /// Of the base layer, as ``PictureSignal`` has it.
        var color: ColorDescription?
        var isTenBit = true
        var width: Int
        var height: Int
        /// Seconds a picture lasts; nil where unknown.
        var period: Timebase?
    }

    /// Level where neither the record nor the size names one: 2160p at 24 pictures a second.
    static let defaultLevel = 6

    /// - Returns: nil where the source has no Dolby Vision, as far as is known.
    static func service(_ source: Source, _ handling: DolbyVisionHandling = .auto) -> DolbyVisionService? {
        guard let natural = natural(source) else { return nil }
        guard let record = natural.record else { return natural }
        switch handling {
        case .auto: return natural
        case .base:
            guard record.compatibility != 0 || source.namesBase else {
                return refused(natural, "the base layer alone was asked for, but there is none")
            }
            return DolbyVisionService(reason: "the base layer is served without Dolby Vision, as asked")
        case .force:
            guard source.codec == "hevc", record.compatibility == 1 else {
                return refused(natural, "profile 5 was asked for, but only 8.1 can be declared as 5")
            }
            return DolbyVisionService(
                record: DolbyVisionConfiguration(profile: 5, level: record.level, compatibility: 0),
                conversion: natural.conversion, reason: "\(natural.reason); declared as profile 5, as asked")
        }
    }

    /// What was asked for cannot be: the reason says so.
    private static func refused(_ natural: DolbyVisionService, _ why: String) -> DolbyVisionService {
        var service = natural
        service.reason += "; \(why)"
        return service
    }

    private static func natural(_ source: Source) -> DolbyVisionService? {
        switch source.codec {
        case "hevc": return hevc(source)
        case "av1": return source.declared.map { av1(source, $0) }
        case "h264":
            return source.declared.map {
                DolbyVisionService(
                    reason: "no player decodes Dolby Vision profile \($0.profile) over H.264: its base layer is served")
            }
        default: return nil
        }
    }

    private static func hevc(_ source: Source) -> DolbyVisionService? {
        guard let declared = source.declared else { return undeclared(source) }
        switch declared.profile {
        case 5:
            // IPT-PQ-c2 has no code points in a VUI: whoever names BT.2020 in YCbCr has another picture.
            if source.namesBase, let rpu = source.rpu, rpu.number != 5 {
                return found(source, rpu, "its record declares profile 5, its RPUs are of profile \(rpu)")
            }
            return exclusive(source, profile: 5, "profile 5 has no base layer: only Dolby Vision decoders show it")
        case 7: return singleLayer(source, "profile 7 is converted to 8.1: no player decodes two layers")
        case 8:
            if case .profile7 = source.rpu {
                return singleLayer(source, "its record declares profile 8, its RPUs are of profile 7: converted to 8.1")
            }
            return compatible(source, profile: 8, declared.compatibility)
        default:
            return DolbyVisionService(
                reason: "no player decodes Dolby Vision profile \(declared.profile): its base layer is served")
        }
    }

    /// RPUs without a record: some containers have no place for one, and some writers lose it.
    private static func undeclared(_ source: Source) -> DolbyVisionService? {
        guard let rpu = source.rpu, source.isTenBit else { return nil }
        if rpu == .profile5 {
            guard source.color == nil else { return nil }
            return exclusive(source, profile: 5, "no record, but RPUs of profile 5 over pictures that name no colour")
        }
        return source.namesBase ? found(source, rpu, "no record, but RPUs of profile \(rpu)") : nil
    }

    /// What RPUs over a base layer in BT.2020 amount to.
    private static func found(_ source: Source, _ rpu: DolbyVisionProfile, _ reason: String) -> DolbyVisionService {
        let isLogGamma = source.color?.transfer == PictureSignal.hybridLogGamma
        switch rpu {
        case .profile7: return singleLayer(source, reason + ": converted to 8.1")
        case .profile8:
            var service = compatible(source, profile: 8, isLogGamma ? 4 : 1)
            service.reason = reason
            return service
        default: return DolbyVisionService(reason: reason + ": its base layer is served")
        }
    }

    private static func av1(_ source: Source, _ declared: DolbyVisionConfiguration) -> DolbyVisionService {
        guard declared.profile == 10 else {
            return DolbyVisionService(
                reason: "no player decodes Dolby Vision profile \(declared.profile) over AV1: its base layer is served")
        }
        guard declared.compatibility != 0 || source.namesBase else {
            return exclusive(source, profile: 10, "profile 10.0 has no base layer: only Dolby Vision decoders show it")
        }
        return compatible(source, profile: 10, declared.compatibility)
    }

    private static func exclusive(_ source: Source, profile: Int, _ reason: String) -> DolbyVisionService {
        DolbyVisionService(
            record: DolbyVisionConfiguration(profile: profile, level: level(source), compatibility: 0), reason: reason)
    }

    /// An enhancement layer is left out, and with it what the RPUs say about it.
    private static func singleLayer(_ source: Source, _ reason: String) -> DolbyVisionService {
        let isLogGamma = source.color?.transfer == PictureSignal.hybridLogGamma
        return DolbyVisionService(
            record: DolbyVisionConfiguration(profile: 8, level: level(source), compatibility: isLogGamma ? 4 : 1),
            conversion: .profile81, reason: reason)
    }

    /// One layer that others can show, too. What compatibility records name falsely is told from the base layer.
    private static func compatible(_ source: Source, profile: Int, _ declared: Int) -> DolbyVisionService {
        func serve(_ compatibility: Int, _ reason: String) -> DolbyVisionService {
            DolbyVisionService(
                record: DolbyVisionConfiguration(profile: profile, level: level(source), compatibility: compatibility),
                reason: reason)
        }
        switch declared {
        case 1, 4: return serve(declared, "profile \(profile).\(declared) is copied")
        case 2:
            return DolbyVisionService(
                reason: "no player decodes profile \(profile).2: its base layer is served, in standard range")
        default:
            let isLogGamma = source.color?.transfer == PictureSignal.hybridLogGamma
            let told = isLogGamma ? 4 : 1
            return serve(told, "profile \(profile).\(declared) is none that is defined: declared as \(profile).\(told)")
        }
    }

    private static func level(_ source: Source) -> Int {
        if let level = source.declared?.level, level > 0 { return level }
        return DolbyVisionConfiguration.level(width: source.width, height: source.height, period: source.period)
            ?? defaultLevel
    }
}

extension DolbyVisionRule.Source {
    /// Whether the pictures are declared as BT.2020 in YCbCr, brightness as PQ or HLG.
    var namesBase: Bool {
        guard let color, color.matrix == 9 || color.matrix == 10 else { return false }
        return color.transfer == PictureSignal.perceptual || color.transfer == PictureSignal.hybridLogGamma
    }
}
