import SluiceCore
import SluiceDataflow
import SluiceNodes

/// Plans the files of a library one after another, so that the first request for one finds its plan on disk.
final class TitlePlanner: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var source: (any ByteSource)?
        var isStopped = false
    }

    private let library: Library
    private let catalog: TitleCatalog
    private let store: PlanStore
    private let logger: Logger
    private let state = Locked(State())

    init(library: Library, catalog: TitleCatalog, store: PlanStore, logger: Logger) {
        self.library = library
        self.catalog = catalog
        self.store = store
        self.logger = logger
    }

    func start() {
        state.withLock { state in
            guard state.task == nil, !state.isStopped else { return }
            state.task = Task(priority: .background) { await self.planAll() }
        }
    }

    /// Interrupts what is being read; returns when it has ended.
    func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            state.source?.interrupt()
            return state.task
        }
        await task?.value
    }

    private func planAll() async {
        for file in catalog.files where !isStopped && !file.isRemote {
            if catalog.entry(file.name) != nil { continue }
            do throws(NodeFailure) {
                let path = try library.resolve(file.components)
                let (store, state) = (store, state)
                let title = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
                    defer { state.withLock { $0.source = nil } }
                    return try TitleInspector.inspectWhole(path, store: store) { source in
                        let isStopped = state.withLock { state in
                            state.source = source
                            return state.isStopped
                        }
                        if isStopped { source.interrupt() }
                    }
                }
                catalog.note(file.name, .known(TitleSummary(title.facts, title.plan)))
            } catch {
                if error.code == .cancelled { return }
                logger.warning("\(file.name) will be refused: \(error)")
                catalog.note(file.name, .refused("\(error)"))
            }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }
}
