import SluiceCommand
import SluiceCore
import SluiceGraph

/// `sluice graph select`: which graph of a directory a route leads to, and why.
struct GraphSelectCommand: Command {
    static let spec = CommandSpec(
        "graph select", "Says which graph of a directory fits a route, and why.",
        positionals: [PositionalSpec("directory", .one, "Directory of graph files.")],
        options: [.repeated("field", "name=value", .keyValue, "Fact of the route or the source.")],
        discussion: "Fields and their values; the first is what counts where a field is not given:\n"
            + RouteField.allCases.map { field in
                let standard = RouteFacts().value(of: field)
                let values = [standard] + field.values.filter { $0 != standard }
                return "  \(field.rawValue)=\(values.joined(separator: "|"))"
            }.joined(separator: "\n"))

    func run(_ context: CommandContext) async throws -> ExitCode {
        let route = try RouteFacts(fields: context.arguments.pairs("field"))
        return try await context.reporting {
            let catalog = try GraphCatalog(directory: context.arguments.argument("directory") ?? "")
            guard let selection = catalog.select(route) else {
                throw NodeFailure(.notFound, "none of \(catalog.files.count) graphs fits the route")
            }
            context.emit(text: selection.description, json: selection.json.encoded())
            return .ok
        }
    }
}

extension GraphSelection {
    /// The choice as `--json` prints it.
    var json: JSONValue {
        let name = file.name?.value ?? ""
        return [
            "graph": .string(name), "file": .string(file.file),
            "shape": rule.shape.map { .string($0.value) } ?? .null, "priority": .integer(rule.rank),
            "conditions": .array(conditions.map { .string($0.description) }),
            "passedOver": .array(
                candidates.filter { $0.name != name }.map { candidate in
                    [
                        "graph": .string(candidate.name), "priority": .integer(candidate.priority),
                        "failed": candidate.failed.map { .string($0.description) } ?? .null,
                    ]
                }),
        ]
    }
}

extension RouteFacts {
    /// The defaults with `fields` of the command line put over them.
    init(fields: [(key: String, value: String)]) throws(UsageError) {
        self.init()
        for (key, value) in fields {
            guard let field = RouteField(rawValue: key) else {
                let near = Suggestion.nearest(to: key, among: RouteField.allCases.map(\.rawValue))
                throw UsageError(
                    .invalidValue, "'--field \(key)': no such field", hint: near.map { "did you mean '\($0)'?" })
            }
            guard field.values.contains(value) else {
                throw UsageError(
                    .invalidValue, "'--field \(key)=\(value)': must be one of \(field.values.joined(separator: ", "))",
                    hint: Suggestion.nearest(to: value, among: field.values).map { "did you mean '\($0)'?" })
            }
            set(field, value)
        }
    }

    /// `value` is one of the field's.
    private mutating func set(_ field: RouteField, _ value: String) {
        switch field {
        case .video: video = Video(rawValue: value) ?? video
        case .audio: audio = Audio(rawValue: value) ?? audio
        case .subtitles: subtitles = Subtitles(rawValue: value) ?? subtitles
        case .isLive: isLive = value == "true"
        case .isByteStream: isByteStream = value == "true"
        case .output: output = Output(rawValue: value) ?? output
        }
    }
}
