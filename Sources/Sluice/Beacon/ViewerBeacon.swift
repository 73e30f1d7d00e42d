package import SluiceCore
import SluiceGraph

/// What a player reports of itself: one JSON object in the body of a POST.
///
/// `{"event": "position", "position": 12.5, "playing": true}`, `{"event": "stall", "position": 12.5}` or
/// `{"event": "error", "code": -11848}`. Members that are not known are passed over, so that players may send more.
package struct ViewerBeacon: Sendable, Hashable {
    package enum Event: String, Sendable, Hashable, CaseIterable {
        case position, stall, error
    }

    /// Bytes of a body that are looked at.
    package static let limit = 4_096
    /// Bytes of a code.
    package static let codeLimit = 64
    /// Seconds: about three years.
    package static let longest = 100_000_000.0

    package var event: Event
    /// Seconds on the title's timeline; nil where the player does not say.
    package var position: Double?
    /// Nil where the player does not say.
    package var isPlaying: Bool?
    /// What the player calls its error; empty for other events.
    package var code = ""

    /// - Throws: `.limitExceeded` for a long body, `.invalidOption` for one that is no beacon.
    package init(_ body: [UInt8]) throws(NodeFailure) {
        guard body.count <= Self.limit else {
            throw NodeFailure(.limitExceeded, "a beacon of \(body.count) bytes; expected \(Self.limit) at most")
        }
        let (node, findings) = JSONDocument.parse(body, file: "beacon")
        guard findings.isEmpty, let node, case .object(let members) = node.content else {
            throw Self.refused(findings.first.map { "\($0)" } ?? "expected an object")
        }
        func value(_ key: String) -> JSONNode.Content? { members.first { $0.key.value == key }?.value.content }
        guard case .string(let name)? = value("event"), let event = Event(rawValue: name) else {
            let names = Event.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.refused("expected an event, one of \(names)")
        }
        self.event = event
        switch value("position") {
        case nil, .null?: position = nil
        case .integer(let seconds)?: position = Double(seconds)
        case .real(let seconds)?: position = seconds
        default: throw Self.refused("position: expected seconds")
        }
        if let position, !(0...Self.longest).contains(position) {
            throw Self.refused("position: expected 0 to \(Int(Self.longest)) seconds")
        }
        switch value("playing") {
        case nil, .null?: isPlaying = nil
        case .boolean(let value)?: isPlaying = value
        default: throw Self.refused("playing: expected true or false")
        }
        guard event == .error else { return }
        switch value("code") {
        case .integer(let number)?: code = "\(number)"
        case .string(let text)? where (1...Self.codeLimit).contains(text.utf8.count): code = text
        default: throw Self.refused("code: expected a number, or a text of 1 to \(Self.codeLimit) bytes")
        }
    }

    private static func refused(_ what: String) -> NodeFailure { NodeFailure(.invalidOption, "beacon: \(what)") }
}
