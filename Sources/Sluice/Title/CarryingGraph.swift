import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

extension GraphCatalog {
    /// The graph that carries a title by copying.
    ///
    /// - Parameters:
    ///   - source: path or URL that its reader opens.
    ///   - settings: of any graph; those that this one has no option for do not count.
    /// - Throws: `.unsupported` where no graph file fits; `.invalidOption` where it may lose a part of a segment; what
    ///   instantiating it throws.
    func plan(
        carrying facts: TitleFacts, of source: String, shape: Title.Shape, settings: [String: String] = [:]
    ) throws -> GraphPlan {
        var route = RouteFacts()
        route.video = facts.video == nil ? .none : .copy
        route.audio = facts.audio.isEmpty ? .none : facts.bridges.isEmpty ? .copy : .bridge
        guard let file = select(route)?.file else {
            throw NodeFailure(
                .unsupported,
                "no graph file fits route.video=\(route.video.rawValue); expected native-loopback or audio-only")
        }
        return try plan(file, route, of: source, shape: shape, settings)
    }

    /// The graph that makes the rendition of a bridged sound.
    ///
    /// - Throws: as ``plan(carrying:of:shape:settings:)``.
    func plan(bridging source: String, settings: [String: String] = [:]) throws -> GraphPlan {
        let route = RouteFacts(audio: .bridge, output: .audioRendition)
        guard let file = select(route)?.file else {
            throw NodeFailure(
                .unsupported, "no graph file fits request.output=audio-rendition; expected audio-rendition")
        }
        return try plan(file, route, of: source, shape: .renditions, settings)
    }

    private func plan(
        _ file: GraphFile, _ route: RouteFacts, of source: String, shape: Title.Shape, _ settings: [String: String]
    ) throws -> GraphPlan {
        var known = settings.filter { name, _ in file.options.contains { $0.name.value == name } }
        known["shape"] = shape == .muxed ? "muxed" : "renditions"
        let plan = try GraphPlan(
            file: file, catalog: NodeCatalog(StandardNodes.registry.descriptors), settings: known,
            facts: GraphFacts(sourceURL: source, route: route))
        try plan.requireLossless()
        return plan
    }
}

extension GraphPlan {
    /// Segments are promised before they are made, so nothing of them may be lost on the way.
    ///
    /// - Throws: `.invalidOption` where a link inside the groups that carry the graph may drop what it has no room for.
    fileprivate func requireLossless() throws(NodeFailure) {
        for link in links where link.overflow != .suspend {
            let ends = nodes.filter { $0.name == link.fromNode || $0.name == link.toNode }
            guard ends.allSatisfy({ groups[$0.group] == .failGraph }) else { continue }
            throw NodeFailure(
                .invalidOption,
                "graph '\(name)': the link \(link.fromNode).\(link.fromPort) -> \(link.toNode).\(link.toPort) has the overflow "
                    + "'\(link.overflow.rawValue)' and may lose a part of a segment; expected 'suspend'")
        }
    }
}
