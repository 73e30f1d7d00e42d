import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

/// Runs a graph file over a source to its end.
func runGraph(_ path: String, over source: String, take: @escaping @Sendable (Packet) async -> Void) async throws {
    var registry = StandardNodes.registry
    registry.register(HostSinkNode.self)
    let plan = try GraphPlan(
        file: try GraphFile.load(path: path), catalog: NodeCatalog(registry.descriptors),
        facts: GraphFacts(sourceURL: source))
    let runner = try GraphRunner(
        plan: plan, registry: registry, resources: Resources().with(PacketHandler(take: take)))
    try await runner.run()
}
