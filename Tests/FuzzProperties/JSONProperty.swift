import SluiceGraph

/// What is read can be written, and what was written reads as the same value.
enum JSONProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        let (node, findings) = JSONDocument.parse(bytes, file: "input.json")
        for finding in findings where !isInside(finding.location, bytes) {
            return "a finding outside the text: \(finding)"
        }
        guard let node else { return findings.isEmpty ? "no value and no finding" : nil }
        for layout in [JSONValue.Layout.compact, .pretty] {
            let text = Array(node.value.encoded(layout).utf8)
            // Indentation can make a text that was short enough too long.
            guard text.count <= JSONDocument.maximumBytes else { continue }
            let (again, complaints) = JSONDocument.parse(text, file: "output.json")
            guard let again else { return "what was written does not parse: \(complaints)" }
            if !complaints.isEmpty { return "what was written has findings: \(complaints)" }
            if again.value != node.value { return "what was written reads as another value" }
        }
        return nil
    }

    /// Whether a place has a line that the text has.
    static func isInside(_ location: SourceLocation?, _ bytes: [UInt8]) -> Bool {
        guard let location else { return true }
        let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        return location.line >= 1 && location.line <= lines && location.column >= 1
            && location.column <= bytes.count + 1
    }
}
