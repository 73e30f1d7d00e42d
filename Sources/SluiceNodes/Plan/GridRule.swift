import SluiceCore

/// Lays exact grids under the stamps of a stream with a constant period (decisions D22). Pure.
enum GridRule {
    /// Stretches beyond which the period counts as wrong.
    static let pieceLimit = 512

    /// A new grid begins wherever the stamps leave the one that held: after a hole, or where the sound was edited.
    ///
    /// - Parameters:
    ///   - times: presentation times in ascending order, epochs shifted.
    ///   - period: exact distance of two samples, in ticks of the output.
    /// - Returns: empty where the stamps do not follow the period.
    static func grids(_ times: [Int64], clock: TrackClock, period: Int64, tolerance: Int64) -> [TrackClock.Grid] {
        guard let first = times.first, period > 0 else { return [] }
        var current = TrackClock.Grid(
            from: .min, period: period, phase: clock.plainOutput(first), tolerance: tolerance)
        var grids = [current]
        var fitting = 0
        for time in times {
            let plain = clock.plainOutput(time)
            if current.exact(plain) != nil {
                fitting += 1
                continue
            }
            current = TrackClock.Grid(from: time, period: period, phase: plain, tolerance: tolerance)
            grids.append(current)
            if grids.count > pieceLimit { return [] }
        }
        // A stretch of less than four samples on average is no grid.
        return fitting >= grids.count * 3 ? grids : []
    }
}
