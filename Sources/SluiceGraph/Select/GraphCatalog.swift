import Glibc
import SluiceCore

/// The graph files of a directory, and the choice among them.
public struct GraphCatalog: Sendable {
    /// Files read from one directory.
    public static let maximumFiles = 256

    /// Sorted by file name.
    public let files: [GraphFile]

    /// Reads every `*.json` in `directory`, without what its subdirectories hold.
    ///
    /// Throws all findings at once: about each file's text, and `ambiguous-selection` for two that could both be the
    /// first choice. Node kinds are not checked here; that is the plan's business, for the graph that is chosen.
    public init(directory: String) throws(GraphValidationError) {
        guard let names = TextFile.names(in: directory, suffix: ".json", maximumCount: Self.maximumFiles) else {
            let reason = String(cString: strerror(errno))
            throw GraphValidationError([
                GraphDiagnostic(.unreadable, at: nil, "folder '\(directory)' cannot be read: \(reason)")
            ])
        }
        var files: [GraphFile] = []
        var findings: [GraphDiagnostic] = []
        for name in names {
            do throws(GraphValidationError) {
                files.append(
                    try GraphFile.load(path: directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"))
            } catch {
                findings += error.diagnostics
            }
        }
        try self.init(files: files, findings: findings)
    }

    /// The catalog of `files`; throws as for a directory.
    public init(files: [GraphFile]) throws(GraphValidationError) { try self.init(files: files, findings: []) }

    private init(files: [GraphFile], findings: [GraphDiagnostic]) throws(GraphValidationError) {
        let all = findings + files.flatMap(\.findings) + Self.ambiguities(files)
        if all.hasErrors { throw GraphValidationError(all) }
        self.files = files
    }

    /// The graph named `name`.
    public func graph(_ name: String) -> GraphFile? { files.first { $0.name?.value == name } }

    /// The graph with the highest priority among those whose conditions all hold; nil when none's do.
    public func select(_ route: RouteFacts) -> GraphSelection? {
        var candidates: [GraphSelection.Candidate] = []
        var best: (file: GraphFile, rule: SelectionRule)?
        for file in files {
            guard let rule = file.select else { continue }
            let failed = rule.conditions.first { !$0.holds(route) }
            candidates.append(
                GraphSelection.Candidate(name: file.name?.value ?? "", priority: rule.rank, failed: failed))
            if failed == nil, rule.rank > best?.rule.rank ?? .min { best = (file, rule) }
        }
        guard let best else { return nil }
        return GraphSelection(file: best.file, rule: best.rule, candidates: candidates)
    }

    /// Pairs of equal priority for which some route satisfies both.
    private static func ambiguities(_ files: [GraphFile]) -> [GraphDiagnostic] {
        var findings: [GraphDiagnostic] = []
        for (index, later) in files.enumerated() {
            guard let rule = later.select else { continue }
            for earlier in files[..<index] {
                guard let other = earlier.select, other.rank == rule.rank, rule.overlaps(other) else { continue }
                let place = rule.priority?.location ?? rule.location
                findings.append(
                    GraphDiagnostic(
                        .ambiguousSelection, at: place, path: "select.priority",
                        "a route can satisfy both '\(later.name?.value ?? "")' and '\(earlier.name?.value ?? "")' "
                            + "(\(earlier.file)), which have the same priority \(rule.rank)"))
            }
        }
        return findings
    }
}

extension SelectionRule {
    /// The priority, 0 where the file states none.
    public var rank: Int { priority?.value ?? 0 }

    /// Whether one route can satisfy both rules: for every field some value is allowed by all conditions of both.
    func overlaps(_ other: SelectionRule) -> Bool {
        RouteField.allCases.allSatisfy { field in
            field.values.contains { value in
                (conditions + other.conditions).allSatisfy { $0.field != field || $0.allowed.contains(value) }
            }
        }
    }
}
