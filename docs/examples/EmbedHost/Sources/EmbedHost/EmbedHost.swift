import Glibc
import Sluice
import SluiceCore
import SluiceGraph

/// `EmbedHost FILM PACKETS.json GRAPHS`: counts the film's packets, then serves it until interrupted.
func embedHost(_ arguments: [String]) async throws {
    guard arguments.count == 4 else {
        print("usage: EmbedHost FILM PACKETS.json GRAPHS")
        return
    }
    let (film, graph, graphs) = (arguments[1], arguments[2], arguments[3])
    let count = Locked(0)
    try await runGraph(graph, over: film) { _ in count.withLock { $0 += 1 } }
    print("\(count.withLock { $0 }) packets")

    var library = Library()
    try library.mount(film)
    let engine = Engine(library: library, graphs: try GraphCatalog(directory: graphs))
    let loop = HTTPLoop(listener: try Socket(listeningOn: 8080), responder: Origin(engine: engine))
    for source in await engine.sources { print("http://127.0.0.1:\(loop.listener.port)/\(source.masterPath)") }
    // Whoever reads a pipe or a file wants to see them now.
    fflush(nil)
    try await loop.run()
    await engine.stop()
}
