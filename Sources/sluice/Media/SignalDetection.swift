import SluiceAV
import SluiceBitstream
import SluiceCommand
import SluiceCore
import SluiceNodes

/// Whether the first pictures of a source carry a kind of metadata.
struct SignalDetection: Sendable {
    enum Kind: String, CaseIterable {
        case hdr10Plus = "hdr10plus"
        case hdrVivid = "hdrvivid"
        case dolbyVision = "dv"
    }

    var kind: Kind
    /// What was found: `yes`, or the profile of Dolby Vision; nil where it was not, which proves nothing.
    var finding: String?

    /// Packets of all streams that are read at most.
    private static let packetLimit = 20_000

    /// - Throws: for a kind that is not known.
    static func kinds(_ list: String?) throws(UsageError) -> [Kind] {
        var kinds: [Kind] = []
        for part in (list ?? "").split(separator: ",", omittingEmptySubsequences: true) {
            let name = part.drop { $0 == " " }.prefix { $0 != " " }
            guard let kind = Kind(rawValue: String(name)) else {
                let names = Kind.allCases.map(\.rawValue)
                let near = Suggestion.nearest(to: String(name), among: names).map { "did you mean '\($0)'? " } ?? ""
                throw UsageError(
                    .invalidValue,
                    "'--detect': '\(name)' cannot be detected; \(near)expected \(names.joined(separator: ", "))")
            }
            if !kinds.contains(kind) { kinds.append(kind) }
        }
        return kinds
    }

    static func detect(_ kinds: [Kind], in reader: inout FormatReader) throws(NodeFailure) -> [SignalDetection] {
        // An enhancement layer may have a track of its own.
        let pictures = reader.streams.filter { $0.type == .video && $0.parked == nil }
        guard !pictures.isEmpty else { return kinds.map { SignalDetection(kind: $0) } }
        reader.select(Set(pictures.map(\.id)))
        var probes = pictures.map { SignalProbe($0) }
        var read = 0
        func found(_ kind: Kind) -> String? { probes.lazy.compactMap { finding(kind, $0.signal) }.first }
        while read < packetLimit, !probes.allSatisfy(\.isExhausted), let packet = try reader.readPacket() {
            guard let place = pictures.firstIndex(where: { $0.id == packet.stream }) else { continue }
            probes[place].add(packet)
            read += 1
            if kinds.allSatisfy({ found($0) != nil }) { break }
        }
        return kinds.map { SignalDetection(kind: $0, finding: found($0)) }
    }

    private static func finding(_ kind: Kind, _ signal: PictureSignal) -> String? {
        switch kind {
        case .hdr10Plus: signal.dynamic.contains(.hdr10Plus) ? "yes" : nil
        case .hdrVivid: signal.dynamic.contains(.hdrVivid) ? "yes" : nil
        case .dolbyVision: signal.rpu.map { "profile \($0)" }
        }
    }
}
