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
        for name in (list ?? "").split(separator: ",", omittingEmptySubsequences: true) {
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
        guard let video = StreamSelection(reader.streams).video else { return kinds.map { SignalDetection(kind: $0) } }
        var probe = SignalProbe(reader.streams[video.index])
        var read = 0
        while read < packetLimit, !probe.isExhausted, let packet = try reader.readPacket() {
            probe.add(packet)
            read += 1
            if kinds.allSatisfy({ finding($0, probe.signal) != nil }) { break }
        }
        return kinds.map { SignalDetection(kind: $0, finding: finding($0, probe.signal)) }
    }

    private static func finding(_ kind: Kind, _ signal: PictureSignal) -> String? {
        switch kind {
        case .hdr10Plus: signal.dynamic.contains(.hdr10Plus) ? "yes" : nil
        case .hdrVivid: signal.dynamic.contains(.hdrVivid) ? "yes" : nil
        case .dolbyVision: signal.rpu.map { "profile \($0)" }
        }
    }
}
