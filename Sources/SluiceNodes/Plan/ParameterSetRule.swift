import SluiceBitstream
import SluiceCore

/// Which parameter sets hold after a picture, and the records made of them. Pure.
enum ParameterSetRule {
    typealias Codec = PictureInspector.Codec

    /// The sets of a configuration record, or of Annex B extradata.
    static func sets(_ extradata: [UInt8], codec: Codec) -> [[UInt8]] {
        switch codec {
        case .h264:
            if let record = try? AVCConfigurationRecord(extradata) { return record.sequenceSets + record.pictureSets }
        case .hevc:
            if let record = try? HEVCConfigurationRecord(extradata) {
                return [HEVCUnitType.vps, .sps, .pps].flatMap { record.units(of: $0) }
            }
        default: return []
        }
        return extradata.withUnsafeBytes { bytes in
            AnnexBUnits(bytes).compactMap { unit in isSet(bytes[unit.lowerBound], codec) ? [UInt8](bytes[unit]) : nil }
        }
    }

    /// What holds when `found` arrives over `held`: sequence sets replace all sequence sets, and so on by type.
    ///
    /// A picture that repeats what holds changes nothing, in whatever order it repeats it.
    static func merged(_ held: [[UInt8]], with found: [[UInt8]], codec: Codec) -> [[UInt8]] {
        guard !found.isEmpty, Set(found).isSubset(of: Set(held)) == false else { return held }
        let replaced = Set(found.compactMap { $0.first.map { type($0, codec) } })
        // New sequence sets bring their own picture sets; those of the old sequence mean nothing any more.
        let dropsPictures = found.contains { $0.first.map { isSequence($0, codec) } ?? false }
        let kept = held.filter { set in
            guard let first = set.first else { return false }
            return !replaced.contains(type(first, codec)) && !(dropsPictures && isPicture(first, codec))
        }
        return (kept + found).sorted {
            let (left, right) = (order($0, codec), order($1, codec))
            return left != right ? left < right : $0.lexicographicallyPrecedes($1)
        }
    }

    /// Whether `set` is a picture set whose number none of those that hold has.
    static func isAddition(_ set: [UInt8], to held: [[UInt8]], codec: Codec) -> Bool {
        guard let number = pictureNumber(set, codec) else { return false }
        return held.allSatisfy { pictureNumber($0, codec) != number }
    }

    private static func pictureNumber(_ set: [UInt8], _ codec: Codec) -> Int? {
        guard let header = set.first, isPicture(header, codec) else { return nil }
        return codec == .h264 ? H264PictureParameters(set)?.id : HEVCPictureParameters(set)?.id
    }

    /// A version as initialization sections need it.
    static func version(_ sets: [[UInt8]], _ format: StreamFormat) -> ParameterVersion {
        var version = ParameterVersion(
            configuration: format.extradata, width: format.video?.width ?? 0, height: format.video?.height ?? 0)
        switch format.codec {
        case "h264":
            let types = Dictionary(grouping: sets) { H264UnitType(header: $0.first ?? 0) }
            // The container's own record stays where it says the same.
            if (try? AVCConfigurationRecord(format.extradata)) == nil
                || Set(sets) != Set(Self.sets(format.extradata, codec: .h264)),
                let record = AVCConfigurationRecord(
                    sequenceSets: types[.sps] ?? [], pictureSets: types[.pps] ?? [],
                    sequenceExtensions: types[.spsExtension] ?? [])
            {
                version.configuration = record.bytes
            }
            if let sequence = types[.sps]?.first.flatMap({ H264SequenceParameters($0) }) {
                (version.width, version.height) = (sequence.width, sequence.height)
            }
        case "hevc":
            if (try? HEVCConfigurationRecord(format.extradata)) == nil
                || Set(sets) != Set(Self.sets(format.extradata, codec: .hevc)),
                let record = HEVCConfigurationRecord(parameterSets: sets)
            {
                version.configuration = record.bytes
            }
            if let sequence = sets.first(where: { HEVCUnitType(header: $0.first ?? 0) == .sps })
                .flatMap({ HEVCSequenceParameters($0) })
            {
                (version.width, version.height) = (sequence.width, sequence.height)
            }
        default: break
        }
        return version
    }

    /// What a picture lasts by the timing of the first sequence set; nil where that does not say it.
    ///
    /// - Note: ITU-T H.264 §E.2.1 (two ticks make a frame), ITU-T H.265 §E.3.1.
    static func period(_ sets: [[UInt8]], codec: Codec) -> Timebase? {
        guard let set = sets.first(where: { $0.first.map { isSequence($0, codec) } ?? false }) else { return nil }
        let usability =
            codec == .h264 ? H264SequenceParameters(set)?.usability : HEVCSequenceParameters(set)?.usability
        guard let timing = usability?.timing else { return nil }
        let units = Int64(timing.unitsInTick) * (codec == .h264 ? 2 : 1)
        guard let top = Int32(exactly: units), let bottom = Int32(exactly: timing.timeScale) else { return nil }
        return Timebase(top, bottom)
    }

    private static func type(_ header: UInt8, _ codec: Codec) -> UInt8 {
        codec == .h264 ? H264UnitType(header: header).rawValue : HEVCUnitType(header: header).rawValue
    }

    private static func isSet(_ header: UInt8, _ codec: Codec) -> Bool {
        codec == .h264 ? H264UnitType(header: header).isParameterSet : HEVCUnitType(header: header).isParameterSet
    }

    private static func isSequence(_ header: UInt8, _ codec: Codec) -> Bool {
        codec == .h264 ? H264UnitType(header: header) == .sps : HEVCUnitType(header: header) == .sps
    }

    private static func isPicture(_ header: UInt8, _ codec: Codec) -> Bool {
        codec == .h264 ? H264UnitType(header: header) == .pps : HEVCUnitType(header: header) == .pps
    }

    private static func order(_ set: [UInt8], _ codec: Codec) -> UInt8 { type(set.first ?? 0, codec) }
}
