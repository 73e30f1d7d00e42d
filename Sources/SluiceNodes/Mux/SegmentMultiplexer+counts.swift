extension SegmentMultiplexer {
    /// What was mended in samples, by family.
    struct Counts: Equatable {
        /// Chains of units that were cut at the last whole one.
        var cutChains = 0
        /// Packets of pictures in which nothing can be decoded.
        var empty = 0
        /// RPUs that were converted to another profile, and that could not be.
        var convertedRPUs = 0
        var refusedRPUs = 0
        /// Units of an enhancement layer that were left out.
        var layerUnits = 0
        /// RPUs that were left out because nothing claims them.
        var removedRPUs = 0

        var named: [(String, Int)] {
            [
                ("cut-chain", cutChains), ("empty-sample", empty), ("converted-rpu", convertedRPUs),
                ("refused-rpu", refusedRPUs), ("enhancement-unit", layerUnits),
                ("removed-rpu", removedRPUs),
            ].filter { $0.1 > 0 }
        }
    }
}
