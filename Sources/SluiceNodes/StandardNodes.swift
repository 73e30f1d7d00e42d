import SluiceAV
import SluiceCore
public import SluiceDataflow

/// Every stage that Sluice brings. A new stage is one line here.
public enum StandardNodes {
    public static let registry: NodeRegistry = {
        var registry = NodeRegistry()
        registry.register(payload: Packet.self)
        registry.register(payload: Frame.self)
        registry.register(payload: Fragment.self)

        registry.register(ReaderNode.self)
        registry.register(DemuxerNode.self)
        registry.register(RepairNode.self)
        registry.register(AudioBridgeNode.self)
        registry.register(CutterNode.self)
        registry.register(FMP4MuxerNode.self)
        registry.register(SegmentPublisherNode.self)
        registry.register(HashSinkNode.self)
        registry.register(FileSinkNode.self)
        return registry
    }()
}
