import SluiceCore
import SluiceNodes

/// Names a plan: equal facts and plans have equal names on every machine.
enum PlanIdentity {
    /// Raised whenever the same source would give other bytes than before.
    static let engineVersion = 1

    static func digits(_ facts: TitleFacts, _ plan: TitlePlan, source: String) -> String {
        var hash = FNV1a()
        hash.add("\(engineVersion)|\(facts.identity ?? source)|\(facts.formatName)|\(facts.origin)|\(plan.timescale)")
        for segment in plan.segments { hash.add("|\(segment.start)") }
        hash.add("|\(plan.end)|\(plan.basis.rawValue)")
        return hash.digits
    }
}

/// A 64-bit Fowler-Noll-Vo hash: stable over processes, unlike `Hasher`. Not for anything that must resist forgery.
struct FNV1a {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Eight hexadecimal digits, both halves folded together.
    var digits: String {
        let folded = UInt32(truncatingIfNeeded: state ^ (state >> 32))
        let text = String(folded, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}
