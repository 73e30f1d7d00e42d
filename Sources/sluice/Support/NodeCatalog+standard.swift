import SluiceDataflow
import SluiceGraph
import SluiceNodes

extension NodeCatalog {
    /// Every kind of node that this program can run.
    static var standard: NodeCatalog { NodeCatalog(StandardNodes.registry.descriptors) }
}
