import SluiceCore

/// The commands of a program, and the way from words to one of them.
public struct CommandRegistry: Sendable {
    public let program: String
    /// One line under the program's name in the overview.
    public let summary: String
    public let commands: [any Command.Type]

    public init(program: String, summary: String, commands: [any Command.Type]) {
        self.program = program
        self.summary = summary
        self.commands = commands
    }

    /// The command with the longest name that `words` begin with, and the words after its name.
    public func resolve(_ words: [String]) throws(UsageError) -> (command: any Command.Type, arguments: [String]) {
        let matches = commands.filter { words.starts(with: $0.spec.path) }
        if let best = matches.max(by: { $0.spec.path.count < $1.spec.path.count }) {
            return (best, Array(words.dropFirst(best.spec.path.count)))
        }
        let first = words.first ?? ""
        let family = commands.filter { $0.spec.path.count > 1 && $0.spec.path[0] == first }
        if !family.isEmpty, words.count > 1 {
            let near = Suggestion.nearest(to: words[1], among: family.map { $0.spec.path[1] })
            throw UsageError(
                .unknownCommand, "'\(program) \(first)' has no subcommand '\(words[1])'",
                hint: near.map { "did you mean '\(first) \($0)'?" } ?? "see '\(program) help \(first)'")
        }
        if !family.isEmpty {
            throw UsageError(
                .missingArgument, "'\(program) \(first)' needs a subcommand", hint: "see '\(program) help \(first)'")
        }
        let near = Suggestion.nearest(to: first, among: commands.map { $0.spec.path[0] })
        throw UsageError(
            .unknownCommand, "unknown command '\(first)'",
            hint: near.map { "did you mean '\($0)'?" } ?? "see '\(program) help'")
    }

    /// The list of commands; with `family` only those that begin with that word.
    public func overview(family: String? = nil) -> String {
        let shown = commands.filter { family == nil || $0.spec.path[0] == family }
        var text = "usage: \(program) \(family.map { "\($0) " } ?? "")<command> [options]\n"
        if family == nil { text += "\n\(summary)\n" }
        text += "\ncommands:\n" + UsageTable.render(shown.map { ($0.spec.name, $0.spec.summary) })
        text += "\n'\(program) <command> --help' says what a command takes.\n"
        return text
    }

    /// Runs the command that `words` (without the program's name) ask for. Never throws: failures become messages.
    public func run(_ words: [String], console: Console, interruption: Interruption) async -> ExitCode {
        var usagePath = ""
        do {
            guard let first = words.first, first != "--help", first != "-h" else {
                if words.isEmpty {
                    console.note(overview())
                    return .usage
                }
                console.print(overview())
                return .ok
            }
            if words.count == 2, words[1] == "--help" || words[1] == "-h", isFamily(first) {
                console.print(overview(family: first))
                return .ok
            }
            let (command, arguments) = try resolve(first == "--version" ? ["version"] + words.dropFirst() : words)
            usagePath = " \(command.spec.name)"
            let parsed = try CommandParser.parse(arguments, spec: command.spec)
            if parsed.flag("help") {
                console.print(command.spec.usage(program: program))
                return .ok
            }
            let context = CommandContext(
                arguments: parsed, registry: self, console: console, interruption: interruption)
            return try await command.init().run(context)
        } catch let error as UsageError {
            console.report(Diagnostic(.error, error.code.rawValue, error.message, file: program, hint: error.hint))
            console.note("usage: '\(program)\(usagePath) --help' says what is possible")
            return .usage
        } catch let error as Diagnostic {
            console.report(error)
            return .failed
        } catch let error as DiagnosticList {
            for diagnostic in error.diagnostics { console.report(diagnostic) }
            return error.exitCode
        } catch let error as NodeFailure {
            console.report(Diagnostic(.error, error.code.rawValue, error.message, file: program))
            return .failed
        } catch is CancellationError {
            console.report(Diagnostic(.error, "cancelled", "interrupted", file: program))
            return .failed
        } catch {
            console.report(Diagnostic(.error, "failed", "\(error)", file: program))
            return .failed
        }
    }

    /// Whether `word` only groups commands (`graph` in `graph validate`).
    public func isFamily(_ word: String) -> Bool {
        !commands.contains { $0.spec.path == [word] } && commands.contains { $0.spec.path[0] == word }
    }
}
