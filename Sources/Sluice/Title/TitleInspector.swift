import SluiceCore
import SluiceNodes
import SluiceTransport

/// Opens a source once to learn what it is. Blocks.
enum TitleInspector {
    static func inspect(_ source: String) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        let bytes = try Transport.open(source)
        defer { bytes.close() }
        let title = try PlanBuilder.title(bytes, hint: source)
        return (title.facts, title.plan)
    }
}
