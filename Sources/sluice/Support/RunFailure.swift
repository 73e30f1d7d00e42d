import SluiceCommand
import SluiceCore
import SluiceGraph

/// Why a command that works on media ended, in the one form that people and programs get it.
struct RunFailure: Error, Sendable {
    var failure: NodeFailure
    /// Node, group and epoch, where a graph's node failed.
    var place: GraphFailure?

    init(_ error: any Error) {
        switch error {
        case let error as RunFailure: self = error
        case let error as GraphFailure:
            failure = error.failure
            place = error
        case let error as NodeFailure: failure = error
        case is CancellationError: failure = NodeFailure(.cancelled, "interrupted")
        default: failure = NodeFailure(.internalInvariant, "\(error)")
        }
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            JSONValue.Member("code", .string(failure.code.rawValue)),
            JSONValue.Member("message", .string(failure.message)),
        ]
        if let place {
            members += [
                JSONValue.Member("graph", .string(place.graph)), JSONValue.Member("node", .string(place.node)),
                JSONValue.Member("group", .string(place.group)),
                JSONValue.Member("epoch", .integer(Int(clamping: place.epoch.number))),
            ]
        }
        if failure.isTransient { members.append(JSONValue.Member("transient", true)) }
        if let status = failure.httpStatus { members.append(JSONValue.Member("httpStatus", .integer(status))) }
        return .object(members)
    }

    /// `code: message (node 'x')`.
    var line: String {
        TerminalText.line("sluice: \(failure.code): \(failure.message)" + (place.map { " (node '\($0.node)')" } ?? ""))
    }
}

extension CommandContext {
    /// Ends a command: one line on the error stream or, with `--json`, one document on the output.
    func fail(_ error: any Error) -> ExitCode {
        if let invalid = error as? GraphValidationError { return fail(invalid) }
        let failure = RunFailure(error)
        if wantsJSON {
            console.print((["error": failure.json] as JSONValue).encoded())
        } else {
            console.note(failure.line)
        }
        return .failed
    }

    /// Ends a command whose graph cannot run: every finding, as an editor reads it.
    func fail(_ invalid: GraphValidationError) -> ExitCode {
        for diagnostic in invalid.diagnostics { console.note(diagnostic.description) }
        if wantsJSON {
            let count = invalid.diagnostics.count { $0.severity == .error }
            let error: JSONValue = [
                "code": invalid.diagnostics.isUnreadable ? "unreadable" : "invalid-graph",
                "message": .string("\(count) finding\(count == 1 ? "" : "s")"),
                "findings": .array(invalid.diagnostics.map(\.json)),
            ]
            console.print((["error": error] as JSONValue).encoded())
        }
        return invalid.diagnostics.isUnreadable ? .failed : .invalidGraph
    }

    /// Runs `work`; whatever it throws, except mistakes in the command line, ends in ``fail(_:)``.
    func reporting(_ work: () async throws -> ExitCode) async throws -> ExitCode {
        do { return try await work() } catch let error as UsageError { throw error } catch {
            return fail(interruption.isRaised ? CancellationError() : error)
        }
    }
}

extension [GraphDiagnostic] {
    /// Whether nothing is known of the graph, because its file cannot be read.
    var isUnreadable: Bool {
        let errors = filter { $0.severity == .error }
        return !errors.isEmpty && errors.allSatisfy { $0.code == .unreadable }
    }
}
