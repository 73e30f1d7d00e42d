public import SluiceDataflow

extension NodeRegistry {
    /// All toy kinds and the payload ``Token``.
    public static var toys: NodeRegistry {
        var registry = NodeRegistry()
        registry.register(payload: Token.self)
        registry.register(ScriptedSource.self)
        registry.register(RecordingSink<Token>.self)
        registry.register(RecordingTap<Token>.self)
        registry.register(ToyPass.self)
        registry.register(ToyBatchPass.self)
        registry.register(ToyDelay.self)
        registry.register(ToySlow.self)
        registry.register(ToyFailing.self)
        registry.register(ToyStuck.self)
        registry.register(ToyEarly.self)
        registry.register(ToySplitter.self)
        registry.register(ToyJoiner.self)
        return registry
    }
}
