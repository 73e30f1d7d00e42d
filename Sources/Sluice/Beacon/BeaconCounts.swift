import SluiceCore

/// Beacons taken, by event, and viewers led to another tier.
final class BeaconCounts: Sendable {
    struct Numbers: Sendable, Hashable {
        var events: [ViewerBeacon.Event: Int] = [:]
        var fallbacks: [FallbackTier: Int] = [:]
    }

    private let state = Locked(Numbers())

    var numbers: Numbers { state.withLock { $0 } }
    func note(_ event: ViewerBeacon.Event) { state.withLock { $0.events[event, default: 0] += 1 } }
    func note(_ tier: FallbackTier) { state.withLock { $0.fallbacks[tier, default: 0] += 1 } }
}

extension MetricsText {
    mutating func add(_ numbers: BeaconCounts.Numbers) {
        for event in ViewerBeacon.Event.allCases {
            add(
                "sluice_beacons_total", .counter, "Reports of players, by event.", labels: [("event", event.rawValue)],
                Double(numbers.events[event] ?? 0))
        }
        for tier in [FallbackTier.plain, .media] {
            add(
                "sluice_fallbacks_total", .counter, "Viewers led to less after an error of their player.",
                labels: [("tier", tier.name)], Double(numbers.fallbacks[tier] ?? 0))
        }
    }
}
