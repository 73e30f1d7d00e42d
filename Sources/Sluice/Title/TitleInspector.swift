import SluiceAV
import SluiceCore
import SluiceNodes
import SluiceTransport

/// Opens a source once to learn what it is. Blocks.
enum TitleInspector {
    static func inspect(_ source: String) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        let bytes = try Transport.open(source)
        defer { bytes.close() }
        var reader = try FormatReader(source: bytes, hint: source)
        return try PlanBuilder.plan(&reader, identity: bytes.identity)
    }
}
