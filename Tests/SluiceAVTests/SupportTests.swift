import SluiceCore
import Testing

@testable import SluiceAV

@Test func chaptersAreSortedNamedAndClosed() {
    func at(_ seconds: Double) -> Timestamp { Timestamp(seconds: seconds) }
    let chapters = Chapter.normalized(
        [
            Chapter.Declared(title: " ", start: at(20), end: at(20)),
            Chapter.Declared(title: "One", start: at(0), end: at(0)),
            Chapter.Declared(title: nil, start: at(10), end: at(15)),
        ], containerEnd: at(50))
    #expect(chapters.map(\.title) == ["One", "Chapter 2", "Chapter 3"])
    #expect(chapters.map(\.duration) == [.seconds(10), .seconds(10), .seconds(30)])
    let last = Chapter.normalized([Chapter.Declared(title: "x", start: at(5), end: at(9))], containerEnd: at(50))
    #expect(last.map(\.duration) == [.seconds(4)], "the declared end of the last one counts before the container's")
    #expect(Chapter.normalized([], containerEnd: nil) == [])
    #expect(
        Chapter.normalized([Chapter.Declared(title: "x", start: at(5), end: nil)], containerEnd: nil)[0].duration
            == .zero)
}

@Test func lineBudgetPassesSoManyASecondAndCountsTheRest() {
    var budget = LineBudget(linesPerSecond: 2)
    let start = ContinuousClock.now
    #expect(budget.admit(at: start) == .pass(suppressed: 0))
    #expect(budget.admit(at: start + .milliseconds(10)) == .pass(suppressed: 0))
    #expect(budget.admit(at: start + .milliseconds(20)) == .drop)
    #expect(budget.admit(at: start + .milliseconds(999)) == .drop)
    #expect(budget.admit(at: start + .seconds(1)) == .pass(suppressed: 2))
    #expect(budget.admit(at: start + .seconds(1)) == .pass(suppressed: 0))
}

@Test func loadedLibrariesAreThoseCompiledAgainst() throws {
    let versions = LibraryVersions.current
    try versions.verify()
    #expect(
        versions.libraries.map(\.name) == [
            "libavutil", "libavcodec", "libavformat", "libavfilter", "libswresample", "libswscale",
        ])
    #expect(versions.description.split(separator: "\n").count == 6)
    if Tool.isPresent {
        // "libavformat    59. 27.100 / 59. 27.100"
        let text = String(decoding: try Tool.run("ffmpeg", ["-version"]), as: UTF8.self)
        for library in versions.libraries {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(library.name) })
            let loaded = line.split(separator: "/")[1].filter { $0 != " " }
            #expect(loaded == library.loaded.description)
        }
    }
}

@Test func anotherMajorVersionIsATypedFailure() {
    var versions = LibraryVersions.current
    versions.libraries[1].loaded.major += 1
    do {
        try versions.verify()
        Issue.record("accepted")
    } catch {
        #expect(error.code == .unsupported)
        #expect(error.message.contains("libavcodec") && !error.message.contains("libswscale"))
    }
}

@Test func refusedNamesAreKnownToTheLibraryOrToOtherVersionsOfIt() {
    #expect(RefusedFormatTable.reasons["hls"] == .references("HLS playlist"))
    for name in ["matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "mpegts", "mpeg", "avi", "flac", "mp3", "ogg", "wav"] {
        #expect(RefusedFormatTable.reasons[name] == nil)
    }
    #expect(throws: NodeFailure.self) { try FormatFence.check(name: "newdevice", opensItsOwnInput: true) }
    #expect(throws: Never.self) { try FormatFence.check(name: "matroska,webm", opensItsOwnInput: false) }
}

@Suite(.serialized) struct LogBridgeTests {
    @Test func linesArriveWithTheirLevelAndACutLength() {
        let lines = Locked<[(LogLevel, String)]>([])
        LogBridge.install(
            Logger(category: "av", threshold: .debug) { level, _, line in lines.withLock { $0.append((level, line)) } },
            linesPerSecond: 1_000)
        defer { LogBridge.silence() }
        LogBridge.emit(16, "an error")
        LogBridge.emit(24, "a warning")
        LogBridge.emit(8, "a fatality")
        LogBridge.emit(24, "long " + String(repeating: "x", count: 5_000))
        let seen = lines.withLock { $0 }
        #expect(seen.contains { $0 == (.warning, "an error") })
        #expect(seen.contains { $0 == (.info, "a warning") })
        #expect(seen.contains { $0 == (.error, "a fatality") })
        let long = seen.first { $0.1.hasPrefix("long ") }?.1
        #expect(long?.utf8.count == 1_023)
    }

    @Test func floodIsCountedNotPrinted() {
        let lines = Locked<[String]>([])
        LogBridge.install(
            Logger(category: "av", threshold: .debug) { _, _, line in lines.withLock { $0.append(line) } },
            linesPerSecond: 5, clock: StoppedTime())
        defer { LogBridge.silence() }
        for number in 0..<100 { LogBridge.emit(16, "flood \(number)") }
        #expect(lines.withLock { $0.count } == 5)
    }
}

private struct StoppedTime: TimeSource {
    let now = ContinuousClock.now
    func sleep(until deadline: ContinuousClock.Instant) async throws {}
}
