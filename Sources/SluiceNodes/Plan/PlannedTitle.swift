import SluiceAV
import SluiceCore

/// A title's facts and plan, with the route they lead to.
public struct PlannedTitle: Sendable, Hashable {
    public var facts: TitleFacts
    public var plan: TitlePlan
    public var route: Route
    /// It came from a plan store.
    public var wasStored = false

    public init(facts: TitleFacts, plan: TitlePlan, route: Route) {
        self.facts = facts
        self.plan = plan
        self.route = route
    }

    /// Names facts and plan: equal ones have equal names in every process.
    public var fingerprint: UInt64 { Checksum.of(PlanArchive.encode(facts, plan)) }
}

/// A 64-bit Fowler-Noll-Vo hash: stable over processes, unlike `Hasher`. Not for anything that must resist forgery.
enum Checksum {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return state
    }
}
