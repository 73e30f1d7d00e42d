import SluiceBitstream
import SluiceCore
import SluiceGraph

/// What `sluice dovi` found in a source, and did.
struct VisionReport: Sendable {
    /// Pictures, where the source has any.
    var pictures = 0
    /// RPUs that could be read, by what they are.
    var profiles: [String: Int] = [:]
    /// RPUs with a metadata block of each level.
    var levels: [UInt8: Int] = [:]
    var scenes = 0
    var converted = 0
    /// Those of them in which there was nothing to change.
    var unchanged = 0
    /// RPUs that could not be read or converted, and why the latest one could not.
    var refused = 0
    var failure: NodeFailure?
    /// Units of an enhancement layer that were left out.
    var enhancementUnits = 0
    /// What the container declares.
    var declared: DolbyVisionConfiguration?
    var conversion: DolbyVisionConversion

    init(_ conversion: DolbyVisionConversion) { self.conversion = conversion }

    var count: Int { profiles.values.reduce(0, +) }

    mutating func add(_ rpu: DolbyVisionRPU) {
        profiles[rpu.profile?.description ?? "unknown", default: 0] += 1
        for level in Set(rpu.levels) { levels[level, default: 0] += 1 }
        if rpu.isSceneRefresh { scenes += 1 }
    }

    mutating func refuse(_ failure: NodeFailure) {
        refused += 1
        self.failure = failure
    }

    var text: String {
        var lines = ["RPUs         \(count)\(pictures > 0 ? " in \(pictures) packets" : "")"]
        for (profile, count) in profiles.sorted(by: { $0.key < $1.key }) {
            lines.append("profile      \(profile) in \(count)")
        }
        if let declared {
            lines.append(
                "declared     profile \(declared.profile).\(declared.compatibility), level \(declared.level)"
                    + (declared.hasEnhancementLayer ? ", with an enhancement layer" : ""))
        }
        let names = levels.keys.sorted().map { "L\($0)" }.joined(separator: " ")
        if !names.isEmpty { lines.append("metadata     \(names)") }
        lines.append("scenes       \(scenes)")
        lines.append(
            "converted    \(converted) (\(conversion.rawValue))"
                + (unchanged > 0 ? ", \(unchanged) of them as they were" : ""))
        if enhancementUnits > 0 { lines.append("left out     \(enhancementUnits) units of an enhancement layer") }
        if let failure { lines.append("refused      \(refused), the latest: \(failure.message)") }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        let declaration = declared.map { declared -> JSONValue in
            [
                "profile": .integer(declared.profile), "compatibility": .integer(declared.compatibility),
                "level": .integer(declared.level), "enhancementLayer": .boolean(declared.hasEnhancementLayer),
            ]
        }
        return [
            "pictures": .integer(pictures), "rpus": .integer(count),
            "profiles": .object(profiles.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }),
            "declared": declaration ?? .null,
            "levels": .object(levels.sorted { $0.key < $1.key }.map { .init("\($0.key)", .integer($0.value)) }),
            "scenes": .integer(scenes), "conversion": .string(conversion.rawValue), "converted": .integer(converted),
            "unchanged": .integer(unchanged),
            "enhancementUnits": .integer(enhancementUnits), "refused": .integer(refused),
            "failure": failure.map { .string($0.description) } ?? .null,
        ]
    }
}
