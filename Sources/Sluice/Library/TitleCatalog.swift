import SluiceCore

/// What is known about the files of a library without opening them again.
final class TitleCatalog: Sendable {
    enum Entry: Sendable, Hashable {
        case known(TitleSummary)
        /// Why it cannot be served.
        case refused(String)
    }

    struct File: Sendable, Hashable {
        /// Path components, the root's name first.
        var components: [String]
        var name: String { components.joined(separator: "/") }
        var isRemote: Bool { components.first == Origin.remoteRoot }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var files: [File] = []
        var listed: ContinuousClock.Instant?
    }

    /// A listing is used again for this long.
    private static let freshness = Duration.seconds(5)

    private let library: Library
    private let clock: any TimeSource
    private let state = Locked(State())

    private let remote: [File]

    /// - Parameter remote: URLs that are listed as well.
    init(library: Library, remote: [String] = [], clock: any TimeSource) {
        self.library = library
        self.remote = remote.map { File(components: [Origin.remoteRoot, Base64URL.encode(Array($0.utf8))]) }
        self.clock = clock
    }

    /// Every file below the roots. Reads directories at most every five seconds.
    var files: [File] {
        let now = clock.now
        let known = state.withLock { state in
            state.listed.map { $0.duration(to: now) < Self.freshness ? state.files : nil } ?? nil
        }
        if let known { return known }
        let files = library.files().map { File(components: $0) } + remote
        state.withLock { state in
            state.files = files
            state.listed = now
            // What has left the library is forgotten with it.
            if state.entries.count > 2 * Library.fileLimit {
                let names = Set(files.map(\.name))
                state.entries = state.entries.filter { names.contains($0.key) }
            }
        }
        return files
    }

    func entry(_ name: String) -> Entry? { state.withLock { $0.entries[name] } }

    func note(_ name: String, _ entry: Entry) { state.withLock { $0.entries[name] = entry } }
}
