import SluiceCore
import SluiceNodes

/// Names a plan: equal facts and plans have equal names on every machine.
enum PlanIdentity {
    /// Raised whenever the same source would give other bytes than before.
    static let engineVersion = 5

    static func digits(_ facts: TitleFacts, _ plan: TitlePlan, source: String) -> String {
        var text = "\(engineVersion)|\(facts.identity ?? source)|\(facts.formatName)|\(facts.origin)|\(plan.timescale)"
        for segment in plan.segments { text += "|\(segment.start)" }
        text += "|\(plan.end)|\(plan.basis.rawValue)"
        // Another file beside the source is another list of subtitles.
        for case .file(let sidecar) in facts.sidecars.map(\.origin) {
            text += "|\(sidecar.path.split(separator: "/").last ?? "")|\(sidecar.identity)"
        }
        let hash = Checksum.of(text.utf8)
        // Both halves folded together.
        let digits = String(UInt32(truncatingIfNeeded: hash ^ (hash >> 32)), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
