import SluiceCore
import SluiceDataflow
import SluiceGraph

extension GraphPlan {
    /// Segments are promised before they are made, so nothing of them may be lost on the way.
    ///
    /// - Throws: `.invalidOption` where a link inside the groups that carry the graph may drop what it has no room for.
    func requireLossless() throws(NodeFailure) {
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
