import Foundation
import SluiceGraph
import Testing

/// What is written where, and what must never be overwritten.
@Suite(.enabled(if: Sample.hasTools)) struct OutputFileTests {
    private func folder() throws -> URL {
        let folder = Sample.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Every option that names a file to write.
    @Test(arguments: ["--record", "--trace", "--svg"])
    func linksAreFollowedAndPipesAreWrittenTo(_ option: String) throws {
        let (movie, graph, folder) = (try Sample.movie.get(), try Sample.probeGraph.get(), try folder())
        let command = option == "--svg" ? "graph describe \(graph)" : "run \(graph) \(movie)"
        let result = try Subprocess.shell(
            """
            cd "$1"; echo old > real; chmod 600 real; ln -s real link; ln -s later dangling; mkfifo pipe
            cat pipe > piped & $S \(command) \(option) pipe >&2; wait
            $S \(command) \(option) link >&2; $S \(command) \(option) dangling >&2
            test -p pipe && test -L link && test -L dangling && stat -c %a real && wc -c < real && wc -c < later \
                && wc -c < piped; ls -A
            """, folder.path)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count > 4, "\(result.output) \(result.errors)")
        #expect(lines[0] == "600")
        for size in lines[1...3] { #expect(Int(size) ?? 0 > 100, "\(result.output)") }
        #expect(lines[4...] == ["dangling", "later", "link", "pipe", "piped", "real"], "nothing temporary stays")
    }

    @Test func noOutputReplacesWhatIsRead() throws {
        let folder = try folder()
        let graph = try Sample.probeGraph.get()
        let copy = folder.appending(path: "copy.mkv").path
        try FileManager.default.copyItem(atPath: Sample.movie.get(), toPath: copy)
        let before = try Data(contentsOf: URL(fileURLWithPath: copy))
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "copy.mkv")
        try FileManager.default.linkItem(atPath: copy, toPath: "\(folder.path)/hard")
        for target in ["copy.mkv", "link", "hard"] {
            for option in ["--record", "--trace"] {
                let result = try Subprocess.run(["run", graph, copy, option, "\(folder.path)/\(target)"])
                #expect(result.code == 1)
                #expect(result.errors.contains("invalid-option: "), "\(result.errors)")
            }
        }
        #expect(try Subprocess.run(["graph", "describe", graph, "--svg", graph]).code == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
        // The temporary name of an output may be somebody's file.
        let part = folder.appending(path: "out.part").path
        try FileManager.default.moveItem(atPath: copy, toPath: part)
        #expect(try Subprocess.run(["run", graph, part, "--record", "\(folder.path)/out"]).code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: part)) == before)
    }

    /// A device of our own that is always full, as `/dev/full`.
    @Test(.enabled(if: geteuid() == 0)) func aFullDeviceIsAnError() throws {
        let folder = try folder()
        let result = try Subprocess.shell(
            """
            cd "$1"; mknod full c 1 7 || exit 9
            $S run "$2" "$3" --record full; echo $? >&2; test -c full || echo gone >&2
            $S packets "$3" > full; echo $? >&2; $S version > full; echo $? >&2; $S version --json >&-; echo $? >&2
            """, folder.path, try Sample.probeGraph.get(), try Sample.movie.get())
        guard result.code != 9 else { return }
        let lines = result.errors.split(separator: "\n")
        try #require(lines.count == 8, "\(result.errors)")
        #expect(lines[0].hasPrefix("sluice: exhausted: write 'full': No space left"))
        #expect(lines[2] == "sluice: write standard output: No space left on device")
        #expect(lines[4] == lines[2])
        #expect(lines[6] == "sluice: write standard output: Bad file descriptor")
        for index in [1, 3, 5, 7] { #expect(lines[index] == "1") }
    }

    @Test func foldersAndOverlongNamesAreInvalidOptions() throws {
        let (graph, movie) = (try Sample.probeGraph.get(), try Sample.movie.get())
        let long = String(repeating: "x", count: 300)
        for target in [Sample.folder.path, "\(movie)/x", "\(Sample.folder.path)/\(long)"] {
            let result = try Subprocess.run(["run", graph, movie, "--record", target])
            #expect(result.errors.hasPrefix("sluice: invalid-option: "), "\(result.errors)")
        }
        #expect(try Subprocess.run(["probe", long]).errors.hasPrefix("sluice: invalid-option: "))
    }
}
