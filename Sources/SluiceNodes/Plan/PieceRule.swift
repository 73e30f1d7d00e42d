import SluiceBitstream
import SluiceCore

/// Finds where other streams take over from those that are served. Pure.
///
/// - Note: behaviours LX-12; recordings of broadcasts, and transport streams that were joined.
enum PieceRule {
    /// Pieces of a source at most.
    static let limit = 32
    /// Share of the packets that every served stream reaches at least where nothing takes over from it, in percent.
    static let coverage: UInt64 = 90

    struct Joint: Equatable {
        /// Where the tables lie, and where they begin to hold.
        var tables: Int64
        var start: Int64
    }

    /// Whether the program tables are worth a look of their own.
    ///
    /// - Parameter hasLateStreams: streams appeared after the container was opened.
    static func isSuspicious(_ survey: SourceSurvey, hasLateStreams: Bool) -> Bool {
        // What was joined may carry other codings under the same identifiers.
        if hasLateStreams || survey.sets.count > 1 || !survey.epochs.isEmpty || survey.foreignUnits > 0 { return true }
        if survey.streams.count(where: { $0.type == .video && $0.parked != .attachment }) > 1 { return true }
        let tracks = survey.selection.audio.map { survey.tracks[$0] }
        let last = survey.tracks.values.compactMap(\.ordinals.last).max() ?? 0
        return tracks.contains { track in
            guard let end = track?.ordinals.last else { return true }
            return UInt64(end) * 100 < UInt64(last) * coverage
        }
    }

    /// - Parameters:
    ///   - changes: of the program tables.
    ///   - served: identifiers of the streams that the title begins with.
    /// - Returns: empty where nothing takes over.
    static func joints(_ changes: [TransportTables.Change], served: [Int]) -> [Joint] {
        guard let first = changes.firstIndex(where: { program($0, with: served) != nil }),
            let opening = program(changes[first], with: served)
        else { return [] }
        var (number, current) = (opening.number, opening.streams.filter { served.contains($0.number) })
        var joints: [Joint] = []
        for change in changes[(first + 1)...] {
            guard let program = successor(change, of: number) else { continue }
            let media = program.streams.filter(\.isMedia)
            let known = current
            let gone = known.filter { !program.streams.contains($0) }
            let new = program.streams.filter { $0.mayBeMedia && !known.contains($0) }
            guard !gone.isEmpty, !new.isEmpty else { continue }
            (number, current) = (program.number, media + new.filter { !$0.isMedia })
            joints.append(Joint(tables: change.start, start: change.position))
        }
        return joints
    }

    private static func program(_ change: TransportTables.Change, with served: [Int]) -> TransportProgram? {
        change.programs.first { program in program.streams.contains { served.contains($0.number) } }
    }

    /// The program of that number or, where it has gone, the first one with pictures or sound.
    private static func successor(_ change: TransportTables.Change, of number: Int) -> TransportProgram? {
        change.programs.first { $0.number == number } ?? change.programs.first { $0.streams.contains(where: \.isMedia) }
    }

    /// Which sound goes on for which: those of the same language first, then in order.
    ///
    /// - Returns: title's sounds by their successors.
    static func pairs(_ heads: [StreamFormat], _ found: [StreamFormat]) -> [StreamID: StreamID] {
        var pairs: [StreamID: StreamID] = [:]
        for sameLanguage in [true, false] {
            for head in heads where !pairs.values.contains(head.id) {
                let match = found.first { pairs[$0.id] == nil && (!sameLanguage || $0.language == head.language) }
                if let match { pairs[match.id] = head.id }
            }
        }
        return pairs
    }
}
