import SluiceCore
import SluiceDataflow

extension GraphValidator {
    /// No bound is zero, and everything together fits `limits.memory`.
    mutating func checkLimits() {
        checkCapacity(file.limits.channel, "limits.channel")
        for link in links where link.from?.port?.payload != .bytes {
            checkCapacity(link.declaration.limits, "links[\(link.declaration.index)].limits")
        }
        if let memory = file.limits.memory, memory.value <= 0 {
            return report(.zeroCapacity, at: memory.location, "limits.memory", "a graph needs memory")
        }
        var cost = MemoryBound()
        for descriptor in descriptors { cost.add(workingSet: descriptor?.workingSetBytes ?? 0) }
        for link in links {
            guard let payload = link.from?.port?.payload ?? link.to?.port?.payload else { continue }
            cost.add(link: file.limits(of: link.declaration), payload: payload)
        }
        let allowed = file.limits.memory?.value ?? GraphLimits.defaultMemory
        guard cost.total > allowed else { return }
        report(
            .memoryBound, at: file.limits.memory?.location ?? file.location, "limits.memory",
            "links may hold \(Units.text(bytes: cost.links)) and nodes \(Units.text(bytes: cost.workingSets)), together "
                + "\(Units.text(bytes: cost.total)); limits.memory is \(Units.text(bytes: allowed))")
    }

    private mutating func checkCapacity(_ limits: LinkLimits, _ path: String) {
        if let bytes = limits.bytes, bytes.value <= 0 {
            report(.zeroCapacity, at: bytes.location, "\(path).bytes", "a channel must hold at least one byte")
        }
        if let span = limits.span, span.value <= .zero {
            report(.zeroCapacity, at: span.location, "\(path).span", "a channel must hold some time")
        }
        if let items = limits.items, items.value <= 0 {
            report(.zeroCapacity, at: items.location, "\(path).items", "a channel must hold at least one item")
        }
    }
}
