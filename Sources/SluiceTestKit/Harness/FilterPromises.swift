import SluiceCore
import SluiceDataflow

/// The checks behind ``NodeContract/filter(_:examples:describe:)``.
struct FilterPromises<Kind: Node, Input: MediaPayload, Output: MediaPayload>: Sendable {
    let harness: NodeHarness<Kind, Input, Output>
    let examples: [Item<Input>]
    let describe: @Sendable (Output) -> String

    private var whole: [HarnessStep<Input>] { HarnessStep.items(examples) + [.item(.end)] }

    @Sendable func endDrains() async -> String? {
        await attempt {
            let items = try await harness.run(steps: whole).items
            let ends = items.indices.filter { if case .event(.endOfStream) = items[$0] { true } else { false } }
            if ends != [items.count - 1] { return "ends at \(ends) of \(items.count) items" }
            if items.payloads().isEmpty { return "no payload came out of the examples" }
            return nil
        }
    }

    @Sendable func flushForgets() async -> String? {
        await attempt {
            let fresh = lines(try await harness.run(steps: whole).items)
            let half = HarnessStep.items(Array(examples.prefix((examples.count + 1) / 2)))
            let flushed = try await harness.run(steps: half + [.settle, .flush] + whole)
            guard flushed.epochs.count == 2 else { return "epochs: \(flushed.epochs.count)" }
            return difference(fresh, lines(flushed.epochs[1]))
        }
    }

    @Sendable func oneSlotCompletes() async -> String? {
        await attempt {
            let wide = lines(try await harness.run(steps: whole).items)
            var narrow = harness
            narrow.setup.inputLimits.items = 1
            narrow.setup.outputLimits.items = 1
            return difference(wide, lines(try await narrow.run(steps: whole).items))
        }
    }

    /// With nobody reading a one-slot output the node is stuck in a send, or has nothing to do.
    @Sendable func cancelReturns() async -> String? {
        await attempt {
            var narrow = harness
            narrow.setup.outputLimits.items = 1
            let begin = ContinuousClock.now
            _ = try await narrow.run(steps: HarnessStep.items(examples) + [.cancel], collecting: false)
            let took = ContinuousClock.now - begin
            return took < .seconds(5) ? nil : "took \(took)"
        }
    }

    @Sendable func closedInputReturns() async -> String? {
        await attempt {
            let items = try await harness.run(steps: []).items
            return items.isEmpty ? nil : "\(items.count) items came from nothing"
        }
    }

    private func lines(_ items: [Item<Output>]) -> [String] { items.map { line($0, describe) } }
}

/// The checks behind ``NodeContract/sink(_:examples:)``.
struct SinkPromises<Kind: SinkNode>: Sendable {
    let harness: @Sendable () -> SinkHarness<Kind>
    let examples: [Item<Kind.Input>]

    private var whole: [HarnessStep<Kind.Input>] { HarnessStep.items(examples) + [.item(.end)] }

    @Sendable func endIsReported() async -> String? {
        await attempt {
            let ends = ended(try await harness().run(steps: whole).reports)
            return ends == [.first] ? nil : "ended in \(ends)"
        }
    }

    @Sendable func landings() async -> String? {
        await attempt {
            let reports = try await harness().run(steps: whole + [.settle, .flush] + whole).reports
            let landed: [Epoch] = reports.compactMap { if case .landed(let epoch, _) = $0 { epoch } else { nil } }
            let expected: [Epoch] = Kind.descriptor.landing ? [.first, Epoch.first.next] : []
            return landed == expected ? nil : "landed in \(landed), expected \(expected)"
        }
    }

    @Sendable func oneSlotCompletes() async -> String? {
        await attempt {
            var narrow = harness()
            narrow.setup.inputLimits.items = 1
            return ended(try await narrow.run(steps: whole).reports).count == 1 ? nil : "no end"
        }
    }

    @Sendable func closedInputReturns() async -> String? {
        await attempt {
            let ends = ended(try await harness().run(steps: []).reports)
            return ends.isEmpty ? nil : "ended in \(ends) without an end of stream"
        }
    }

    private func ended(_ reports: [NodeReport]) -> [Epoch] {
        reports.compactMap { if case .ended(let epoch, _) = $0 { epoch } else { nil } }
    }
}

/// The checks behind ``NodeContract/source(_:seek:describe:)``.
struct SourcePromises<Kind: Node, Output: MediaPayload>: Sendable {
    let harness: @Sendable () -> SourceHarness<Kind, Output>
    let target: SeekTarget
    let describe: @Sendable (Output) -> String

    @Sendable func endIsSent() async -> String? {
        await attempt {
            let items = try await harness().run().items
            let ends = items.indices.filter { if case .event(.endOfStream) = items[$0] { true } else { false } }
            return ends == [items.count - 1] ? nil : "ends at \(ends) of \(items.count) items"
        }
    }

    @Sendable func epochsBeginSticky() async -> String? {
        await attempt {
            let epochs = try await harness().run(seeks: [target]).epochs
            // What precedes the first payload; where a timeline starts differs with the seek.
            let heads = epochs.map { epoch in
                epoch.prefix { $0.payload == nil }.events().filter(\.isSticky).map(\.name)
            }
            return heads[0] == heads[1] ? nil : "first \(heads[0]), after the seek \(heads[1])"
        }
    }

    @Sendable func seekIsRepeatable() async -> String? {
        await attempt {
            let epochs = try await harness().run(seeks: [target, target]).epochs
            return difference(epochs[1].map { line($0, describe) }, epochs[2].map { line($0, describe) })
        }
    }

    @Sendable func oneSlotCompletes() async -> String? {
        await attempt {
            let wide = try await harness().run().items.map { line($0, describe) }
            var narrow = harness()
            narrow.setup.outputLimits.items = 1
            return difference(wide, try await narrow.run().items.map { line($0, describe) })
        }
    }
}

private func line<Payload>(_ item: Item<Payload>, _ describe: (Payload) -> String) -> String {
    switch item {
    case .payload(let payload): "payload \(describe(payload))"
    case .event(let event): "event \(event)"
    }
}

private func difference(_ expected: [String], _ got: [String]) -> String? {
    for (index, pair) in zip(expected, got).enumerated() where pair.0 != pair.1 {
        return "item \(index): expected '\(pair.0)', got '\(pair.1)'"
    }
    return expected.count == got.count ? nil : "expected \(expected.count) items, got \(got.count)"
}

private func attempt(_ body: () async throws -> String?) async -> String? {
    do { return try await body() } catch { return "threw \(error)" }
}
