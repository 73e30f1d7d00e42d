/// Numbers in the text form that Prometheus reads. Pure.
public struct MetricsText: Sendable {
    public enum Kind: String, Sendable { case counter, gauge }

    private var lines: [String] = []
    private var last = ""

    public init() {}

    public var text: String { lines.joined(separator: "\n") + "\n" }

    /// - Parameters:
    ///   - name: samples of one name must follow one another.
    ///   - labels: names and values.
    public mutating func add(
        _ name: String, _ kind: Kind, _ help: String, labels: [(String, String)] = [], _ value: Double
    ) {
        if name != last {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
            last = name
        }
        let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        let number = value == value.rounded() && abs(value) < 9e15 ? "\(Int64(value))" : "\(value)"
        lines.append("\(name)\(list.isEmpty ? "" : "{\(list)}") \(number)")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
