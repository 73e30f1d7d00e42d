import SluiceCore
import SluiceGraph
import SluiceNodes

/// A plan as people and programs read it.
struct PlanReport {
    let title: PlannedTitle
    let elapsed: Duration

    private var facts: TitleFacts { title.facts }
    private var plan: TitlePlan { title.plan }

    var text: String {
        var lines = [
            "\(facts.formatName), \(plan.segments.count) segments, basis \(plan.basis.rawValue)"
                + (plan.isProvisional ? ", provisional" : "") + (title.wasStored ? ", stored" : "")
        ]
        lines.append(
            "origin \(facts.origin.seconds) s, end \(seconds(plan.end)) s, "
                + "cadence \(facts.framePeriod.map { "\($0.denominator)/\($0.numerator)" } ?? "variable"), "
                + "reorder \(facts.reorderDepth), independent \(plan.isIndependent)")
        if let rates = plan.rates(tracks: Array(facts.served.indices)) {
            lines.append("bandwidth \(rates.peak), average \(rates.average)")
        }
        for stream in ([title.route.video].compactMap(\.self) + title.route.audio) {
            lines.append("stream \(stream.stream.index): \(stream.means.rawValue), \(stream.reason)")
        }
        for (index, segment) in plan.segments.enumerated() {
            var line = "\(index)\t\(seconds(segment.start))\t\(plan.duration(index).inRoundSeconds)"
            line += "\t\(segment.kind?.name ?? "-")\t\(segment.isClosed.map { $0 ? "closed" : "open" } ?? "-")"
            let bytes = segment.tracks.map { "\($0.bytes)" }.joined(separator: " ")
            line += "\t\(anchor(segment.anchor))\t\(bytes.isEmpty ? "-" : bytes)"
            if segment.isDiscontinuous { line += "\tdiscontinuity, version \(segment.version)" }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("format", .string(facts.formatName)), .init("identity", facts.identity.map { .string($0) } ?? .null),
            .init("basis", .string(plan.basis.rawValue)), .init("provisional", .boolean(plan.isProvisional)),
            .init("stored", .boolean(title.wasStored)), .init("seconds", .real(elapsed.inSeconds)),
            .init("origin", .real(facts.origin.seconds)), .init("timescale", .integer(Int(plan.timescale))),
            .init("end", .integer(Int(plan.end))),
            .init("framePeriod", facts.framePeriod.map { .string("\($0)") } ?? .null),
            .init("reorderDepth", .integer(facts.reorderDepth)),
            .init("independent", .boolean(plan.isIndependent)),
            .init("clockEpochs", .integer((facts.served.first.flatMap { facts.clocks[$0] }?.epochs.count ?? 0) + 1)),
            .init("repairs", repairs),
            .init("pieces", .array(facts.pieces.map { .integer(Int($0.start)) })),
            .init(
                "versions", .array(facts.versions.map { ["width": .integer($0.width), "height": .integer($0.height)] })),
        ]
        if let rates = plan.rates(tracks: Array(facts.served.indices)) {
            members.append(.init("bandwidth", .integer(rates.peak)))
            members.append(.init("averageBandwidth", .integer(rates.average)))
        }
        members.append(
            .init("routes", .array(([title.route.video].compactMap(\.self) + title.route.audio).map(route))))
        members.append(.init("segments", .array(plan.segments.indices.map(segment))))
        return .object(members)
    }

    /// What stands in for what the source says wrongly or not at all.
    private var repairs: JSONValue {
        [
            "times": .string(facts.pictureStamps.name), "unplaced": .integer(facts.unplacedPictures),
            "marks": .boolean(facts.ignoresKeyFlags), "parts": .boolean(facts.joinsPackets),
        ]
    }

    private func route(_ stream: Route.Stream) -> JSONValue {
        [
            "stream": .integer(stream.stream.index), "means": .string(stream.means.rawValue),
            "reason": .string(stream.reason),
        ]
    }

    private func segment(_ index: Int) -> JSONValue {
        let segment = plan.segments[index]
        return [
            "index": .integer(index), "start": .integer(Int(segment.start)),
            "decodeStart": segment.decodeStart.map { .integer(Int($0)) } ?? .null,
            "seconds": .real(plan.start(index).seconds), "duration": .real(plan.duration(index).inSeconds),
            "kind": segment.kind.map { .string($0.name) } ?? .null,
            "closed": segment.isClosed.map { .boolean($0) } ?? .null, "version": .integer(segment.version),
            "discontinuity": .boolean(segment.isDiscontinuous), "anchor": .string(anchor(segment.anchor)),
            "tracks": .array(
                segment.tracks.map { track in
                    [
                        "start": track.start.map { .integer(Int($0)) } ?? .null, "bytes": .integer(Int(track.bytes)),
                        "samples": .integer(track.samples),
                    ]
                }),
        ]
    }

    private func anchor(_ anchor: ReadAnchor) -> String {
        switch anchor {
        case .head: "head"
        case .index(let stream, let ticks): "stream \(stream.index) tick \(ticks)"
        case .byte(let offset): "byte \(offset)"
        }
    }

    private func seconds(_ ticks: Int64) -> Double { Timestamp(ticks, plan.timebase).seconds }
}
