import SluiceCore
import SluiceNodes

/// The producers of a title's bridged renditions: a set of its own for each, made when it is first asked for.
final class BridgeTables: Sendable {
    /// Renditions of one title that may be open at one time.
    static let limit = 64

    private let tables = Locked<[String: ProducerTable]>([:])

    /// - Parameter make: makes the table of a rendition that has none yet.
    /// - Throws: `.limitExceeded` where as many are open as may be; what `make` throws.
    func table(_ rendition: String, make: () throws -> ProducerTable) throws -> ProducerTable {
        if let known = tables.withLock({ $0[rendition] }) { return known }
        let made = try make()
        let (table, isFull) = tables.withLock { tables -> (ProducerTable, Bool) in
            if let known = tables[rendition] { return (known, false) }
            guard tables.count < Self.limit else { return (made, true) }
            tables[rendition] = made
            return (made, false)
        }
        guard !isFull else {
            throw NodeFailure(.limitExceeded, "\(Self.limit) bridged renditions of the title are open")
        }
        return table
    }

    /// By the names of their renditions.
    var all: [(rendition: String, table: ProducerTable)] {
        tables.withLock { tables in tables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Stops what is idle and forgets what nobody has asked for since; the shortest time since anybody did.
    func rest(forgetting age: Duration) async -> Duration? {
        var shortest: Duration?
        for (rendition, table) in all {
            let unused = await table.rest()
            shortest = min(shortest ?? unused, unused)
            guard unused >= age, table.running == 0 else { continue }
            tables.withLock { $0[rendition] = nil }
            await table.stop()
        }
        return shortest
    }

    func stop() async {
        for (_, table) in all { await table.stop() }
    }
}
