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
