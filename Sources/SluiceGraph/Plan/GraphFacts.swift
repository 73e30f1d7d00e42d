import SluiceDataflow

/// What is known when a graph is about to run: where its source is, and what was decided about it.
public struct GraphFacts: Sendable, Hashable {
    /// What `${source.url}` stands for; nil leaves references to it unresolved.
    public var sourceURL: String?
    public var route: RouteFacts

    public init(sourceURL: String? = nil, route: RouteFacts = RouteFacts()) {
        self.sourceURL = sourceURL
        self.route = route
    }

    /// Values of the references that begin with `source.`.
    var values: [String: OptionValue] {
        var values: [String: OptionValue] = [
            "source.isLive": .boolean(route.isLive), "source.isByteStream": .boolean(route.isByteStream),
        ]
        values["source.url"] = sourceURL.map { .string($0) }
        return values
    }
}
