import SluiceCore

/// What became of a request for a segment.
enum Fetched: Sendable {
    case ready(Response.Body)
    /// Nothing can make it now; asking again later can help.
    case refused(String)
    /// It cannot be made.
    case failed(NodeFailure)
    /// The deadline passed, or the client has gone.
    case expired
}

/// Open requests for files that are not there yet. Pure bookkeeping; the producer table acts on it.
struct WantTable {
    struct Want {
        var key: SegmentKey
        var continuation: UnsafeContinuation<Fetched, Never>
        /// The producer that is on its way to it; nil while it waits for one.
        var producer: Int?
        /// Times that a run ended without it.
        var misses = 0
    }

    private(set) var wants: [UInt64: Want] = [:]

    var isEmpty: Bool { wants.isEmpty }
    var count: Int { wants.count }

    /// The one that has waited longest for a producer.
    var oldestUnassigned: UInt64? { wants.filter { $0.value.producer == nil }.keys.min() }

    subscript(id: UInt64) -> Want? { wants[id] }

    func count(of producer: Int) -> Int {
        wants.values.reduce(0) { $1.producer == producer ? $0 + 1 : $0 }
    }

    mutating func add(_ id: UInt64, _ want: Want) { wants[id] = want }

    mutating func assign(_ id: UInt64, to producer: Int) { wants[id]?.producer = producer }

    mutating func remove(_ id: UInt64) -> Want? { wants.removeValue(forKey: id) }

    /// Takes out everybody who waits for `key`.
    mutating func take(_ key: SegmentKey) -> [Want] {
        let ids = wants.filter { $0.value.key == key }.map(\.key)
        return ids.compactMap { wants.removeValue(forKey: $0) }
    }

    /// Takes out everybody who waits for `producer`.
    mutating func takeAll(of producer: Int) -> [Want] {
        let ids = wants.filter { $0.value.producer == producer }.map(\.key)
        return ids.compactMap { wants.removeValue(forKey: $0) }
    }

    /// After a run of `producer` that ended: takes out whoever has missed `limit` times, and sets the others free.
    mutating func takeMissed(of producer: Int, limit: Int) -> [Want] {
        var missed: [Want] = []
        for (id, want) in wants where want.producer == producer {
            wants[id]?.misses += 1
            wants[id]?.producer = nil
            if want.misses + 1 >= limit, let taken = wants.removeValue(forKey: id) { missed.append(taken) }
        }
        return missed
    }

    mutating func takeAll() -> [Want] {
        defer { wants = [:] }
        return Array(wants.values)
    }
}
