public import SluiceAV
public import SluiceCore

/// Makes the facts and the plan of a title from an open container. Blocks.
public enum PlanBuilder {
    /// - Throws: `.unsupported` with the stream and the codec that cannot be copied, or the witness against the index.
    public static func plan(
        _ reader: inout FormatReader, identity: String?
    ) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        let selection = StreamSelection(reader.streams)
        return try IndexPlanner().plan(&reader, selection: selection, identity: identity)
    }
}
