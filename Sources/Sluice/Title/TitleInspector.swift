import SluiceCore
import SluiceNodes
import SluiceTransport

/// Opens a source once to learn what it is. Blocks.
enum TitleInspector {
    /// The facts and the plan, from `store` where that knows the source.
    ///
    /// - Parameter willOpen: takes the source before it is waited for, so that another thread can interrupt it.
    static func inspect(
        _ source: String, shape: Title.Shape, store: PlanStore?, options: TransportOptions,
        willOpen: (any ByteSource) -> Void
    ) throws(NodeFailure) -> PlannedTitle {
        let bytes = try Transport.open(source, options: options) { willOpen($0) }
        defer { bytes.close() }
        var wanted = PlanBuilder.Options()
        wanted.leavesPictures = shape == .audio
        return try PlanBuilder.title(bytes, hint: source, options: wanted, store: store)
    }

    /// The same, but a plan that is provisional is made again by looking at everything, and kept.
    static func inspectWhole(
        _ source: String, store: PlanStore, willOpen: (any ByteSource) -> Void
    ) throws(NodeFailure) -> PlannedTitle {
        let bytes = try Transport.open(source) { willOpen($0) }
        defer { bytes.close() }
        let title = try PlanBuilder.title(bytes, hint: source, store: store)
        guard title.plan.isProvisional else { return title }
        var whole = PlanBuilder.Options()
        whole.basis = .scan
        return try PlanBuilder.title(bytes, hint: source, options: whole, store: store)
    }
}
