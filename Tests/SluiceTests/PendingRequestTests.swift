import Foundation
import Sluice
import SluiceCore
import SluiceServer
import Testing

/// Requests that wait: clients that go, deadlines, stopping.
@Suite struct PendingRequestTests {
    /// The fastest of three counts, so that tests running beside this one do not.
    @Test func aClientThatClosesCancelsItsTask() async throws {
        try await withServer { server, responder in
            let fastest = try await onThread {
                try (1...3).map { round in
                    let client = try RawClient(port: server.port)
                    try client.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n")
                    Self.spin { responder.state.withLock { $0.waiting } == round }
                    client.end()
                    let began = ContinuousClock.now
                    Self.spin { server.statistics.clientsGone == round }
                    return ContinuousClock.now - began
                }.min()
            }
            #expect(try #require(fastest) < .milliseconds(200))
            #expect(await responder.reaches { $0.cancelled == 3 })
            #expect(server.statistics.clientsGone == 3)
            #expect(server.statistics.waiting == 0)
        }
    }

    /// Blocks until `condition` holds, at most five seconds.
    static func spin(_ condition: () -> Bool) {
        let end = ContinuousClock.now + .seconds(5)
        while !condition(), ContinuousClock.now < end { usleep(500) }
    }

    @Test func aClientThatStaysIsNotDisturbedByOneThatGoes() async throws {
        try await withServer {
            $0.responseDeadline = .milliseconds(300)
        } _: { server, responder in
            let port = server.port
            try await onThread {
                let (staying, going) = (try RawClient(port: port), try RawClient(port: port))
                try staying.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n")
                try going.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n")
                going.end()
                let answer = try staying.answer()
                #expect(answer.status == 503)
                #expect(answer["Retry-After"] == "2")
                // On a busy machine this one may run into the short deadline as well.
                let next = try (1...10).lazy.map { _ in try staying.request("GET", "/hello") }.first {
                    $0.status == 200
                }
                #expect(next?.text == "hello", "a deadline does not cost the connection")
            }
            #expect(await responder.reaches { $0.cancelled == $0.waiting })
            #expect(server.statistics.expired >= 1)
        }
    }

    /// Whoever stops a server is often being cancelled: what waits is answered all the same.
    @Test(arguments: [false, true]) func stoppingAnswersEverythingThatWaits(isCancelled: Bool) async throws {
        try await withServer { server, responder in
            let port = server.port
            async let statuses = onThread {
                let clients = try (0..<20).map { _ in try RawClient(port: port) }
                for client in clients { try client.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n") }
                return try clients.map { client in
                    let answer = try client.answer()
                    return "\(answer.status) \(answer["Connection"] ?? "") \(client.isClosedByServer())"
                }
            }
            #expect(await responder.reaches { $0.waiting == 20 })
            let began = ContinuousClock.now
            let stopping = Task { await server.stop() }
            if isCancelled { stopping.cancel() }
            await stopping.value
            #expect(ContinuousClock.now - began < .milliseconds(1500), "well before the grace ends")
            let answers = try await statuses
            #expect(answers == Array(repeating: "503 close true", count: 20))
            #expect(await responder.reaches { $0.cancelled == 20 })
            #expect(server.statistics.inFlight == 0)
            await #expect(throws: RawClient.Failure.self) {
                try await onThread { _ = try RawClient(port: port).request("GET", "/hello") }
            }
            await server.stop()
        }
    }

    @Test func droppingAServerOverWaitingRequestsEndsIt() async throws {
        let responder = try ToyResponder()
        var options = ServerOptions()
        options.port = 0
        var server: MicrohttpdServer? = try MicrohttpdServer(options: options, responder: responder)
        let port = try #require(server?.port)
        let clients = Locked<RawClient?>(nil)
        try await onThread {
            let client = try RawClient(port: port)
            try client.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n")
            Self.spin { responder.state.withLock { $0.waiting } == 1 }
            clients.withLock { $0 = client }
        }
        server = nil
        #expect(await responder.reaches { $0.cancelled == 1 })
    }

    @Test func serves100ConnectionsAtOnceAndLeavesNoDescriptor() async throws {
        var port: UInt16 = 0
        try await withServer { server, responder in
            port = server.port
            let port = port
            let bytes = ToyResponder.fileBytes
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await onThread {
                            let clients = try (0..<10).map { _ in try RawClient(port: port) }
                            for round in 0..<5 {
                                let path = ["/file", "/chunks", "/hello"][round % 3]
                                for client in clients { try client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n") }
                                for client in clients {
                                    let answer = try client.answer()
                                    #expect(answer.status == 200)
                                    if path == "/file" { #expect(answer.body == bytes) }
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(responder.state.withLock { $0.requests.count } == 500)
        }
        #expect(try Self.sockets(ofPort: port).isEmpty)
    }

    @Test func startingAndStoppingLeaksNothing() async throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try descriptors()
        for _ in 0..<40 {
            try await withServer { server, _ in
                let port = server.port
                try await onThread { _ = try RawClient(port: port).request("GET", "/file") }
            }
        }
        // A leak of one descriptor a server would be 40. Tests that run beside this one hold some for a while.
        let end = ContinuousClock.now + .seconds(20)
        while try descriptors() - before >= 30, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try descriptors() - before < 30)
    }

    @Test func clientsThatComeAndGoAtRandomLeaveNothingBehind() async throws {
        try await withServer { server, responder in
            let port = server.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        try await onThread {
                            for round in 0..<100 {
                                let client = try RawClient(port: port)
                                let path = (round + worker) % 2 == 0 ? "/wait" : "/chunks"
                                try client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
                                if round % 5 == 0 { try client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n") }
                                // Every few rounds the close races with the request itself.
                                if round % 3 == 0 { usleep(UInt32(round * 13)) }
                                client.end()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await responder.reaches { $0.cancelled == $0.waiting })
            let end = ContinuousClock.now + .seconds(5)
            while server.statistics.inFlight > 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(server.statistics.inFlight == 0)
            #expect(server.statistics.waiting == 0)
        }
    }

    /// Descriptors of this process that are sockets with that local or remote port.
    static func sockets(ofPort port: UInt16) throws -> [String] {
        let suffix = ":" + String(format: "%04X", Int(port))
        let table = try String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)
        var inodes: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(suffix) || fields[2].hasSuffix(suffix) else { continue }
            inodes.insert("socket:[\(fields[9])]")
        }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            else {
                return false
            }
            return inodes.contains(target)
        }
    }
}
