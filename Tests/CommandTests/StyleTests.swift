import Foundation
import Testing

/// Rules of the code base that the compiler does not check.
@Suite struct StyleTests {
    struct File {
        let path: String
        let lines: [Substring]
        var name: String { String(path.split(separator: "/").last ?? "") }
        /// `SluiceCore` for `Sources/SluiceCore/Time/Units.swift`.
        var target: String { String(path.split(separator: "/").dropFirst().first ?? "") }

        /// Lines without their `//` comments, with numbers from 1.
        var code: [(number: Int, text: Substring)] {
            lines.enumerated().map { index, line in
                (index + 1, line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
            }
        }
    }

    static func files(_ folders: String...) throws -> [File] {
        var found: [File] = []
        let root = Subprocess.packageRoot
        for folder in folders {
            let walker = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            while let path = walker?.nextObject() as? String {
                guard path.hasSuffix(".swift"), !path.contains(".build/") else { continue }
                let text = try String(contentsOf: root.appending(path: "\(folder)/\(path)"), encoding: .utf8)
                found.append(
                    File(
                        path: "\(folder)/\(path)", lines: text.split(separator: "\n", omittingEmptySubsequences: false))
                )
            }
        }
        return found
    }

    /// The only types whose safety the compiler takes on trust.
    static let uncheckedFiles: Set<String> = [
        "Packet", "Frame", "Locked", "RingBuffer", "BlockingLane", "CurlLoop", "PendingTable", "MicrohttpdServer",
    ]

    @Test func uncheckedSendableOnlyWhereItIsArgued() throws {
        for file in try Self.files("Sources") {
            let uses = file.code.filter { $0.text.contains("@unchecked Sendable") }
            guard !uses.isEmpty else { continue }
            let stem = file.name.replacing(".swift", with: "").split(separator: "+").first.map(String.init) ?? ""
            #expect(Self.uncheckedFiles.contains(stem), "\(file.path):\(uses[0].number): @unchecked Sendable")
            for use in uses {
                let near = file.lines[max(0, use.number - 4)..<min(file.lines.count, use.number + 4)]
                #expect(near.contains { $0.contains("// Sound because") }, "\(file.path):\(use.number): no argument")
            }
        }
    }

    @Test func inputNeverTraps() throws {
        for file in try Self.files("Sources") {
            for line in file.code {
                for word in ["try!", "as!", "fatalError("] where line.text.contains(word) {
                    Issue.record("\(file.path):\(line.number): \(word)")
                }
            }
        }
    }

    @Test func filesStayReadable() throws {
        for file in try Self.files("Sources", "Tests", "Benchmarks") where !file.name.hasSuffix("Table.swift") {
            #expect(file.lines.count <= 401, "\(file.path): \(file.lines.count) lines")
        }
    }

    @Test func cLibrariesStayBehindThreeTargets() throws {
        let allowed: [String: Set<String>] = [
            "SluiceAV": ["CFFmpeg", "CDav1d", "CZvbi", "CMediaShim"],
            "SluiceTransport": ["CCurl", "CMediaShim"],
            "SluiceServer": ["CMicrohttpd", "CMediaShim", "CThreadShim"],
            "SluiceDataflow": ["CThreadShim"],
        ]
        let modules: Set<String> = [
            "CFFmpeg", "CDav1d", "CZvbi", "CCurl", "CMicrohttpd", "CMediaShim", "CThreadShim",
        ]
        for file in try Self.files("Sources") {
            for line in file.code {
                let words = line.text.split(separator: " ")
                guard let mark = words.firstIndex(of: "import"), mark + 1 < words.count else { continue }
                let module = String(words[mark + 1])
                guard modules.contains(module) else { continue }
                #expect(
                    allowed[file.target]?.contains(module) == true,
                    "\(file.path):\(line.number): \(file.target) imports \(module)")
                guard module != "CThreadShim" else { continue }
                #expect(words.first == "internal", "\(file.path):\(line.number): must be 'internal import'")
            }
        }
    }

    @Test func arrowsPointDownward() throws {
        let forbidden: [String: Set<String>] = [
            "SluiceCore": [
                "SluiceDataflow", "SluiceGraph", "SluiceBitstream", "SluiceAV", "SluiceTransport", "SluiceNodes",
                "Sluice",
                "SluiceServer", "SluiceCommand",
            ],
            "SluiceGraph": ["SluiceNodes", "SluiceAV", "SluiceTransport", "Sluice", "SluiceServer"],
            "SluiceBitstream": [
                "SluiceDataflow", "SluiceGraph", "SluiceAV", "SluiceTransport", "SluiceNodes", "Sluice",
            ],
            "SluiceAV": ["SluiceGraph", "SluiceTransport", "SluiceNodes", "Sluice"],
            "SluiceNodes": ["Sluice", "SluiceServer"],
            "Sluice": ["SluiceServer", "SluiceCommand"],
        ]
        for file in try Self.files("Sources") {
            for line in file.code {
                let words = line.text.split(separator: " ").map(String.init)
                guard let mark = words.firstIndex(of: "import"), mark <= 2, mark + 1 < words.count else { continue }
                #expect(
                    forbidden[file.target]?.contains(words[mark + 1]) != true,
                    "\(file.path):\(line.number): \(file.target) imports \(words[mark + 1])")
            }
        }
    }
}
