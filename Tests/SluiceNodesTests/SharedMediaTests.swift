import Foundation
import Glibc
import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceTransport
import Testing

/// Real files that nobody here made, where they are present.
enum SharedMedia {
    static let folder: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let shared =
            ProcessInfo.processInfo.environment["SLUICE_SHARED"]
            ?? root.deletingLastPathComponent().appending(path: "shared").path
        let media = shared + "/media"
        return FileManager.default.fileExists(atPath: media + "/manifest.tsv") ? media : nil
    }()

    /// Paths of the manifest's regular files.
    static func files() throws -> [String] {
        guard let folder else { return [] }
        let manifest = try String(contentsOfFile: folder + "/manifest.tsv", encoding: .utf8)
        return manifest.split(separator: "\n").dropFirst().compactMap { line in
            let path = folder + "/" + (line.split(separator: "\t").first ?? "")
            var info = stat()
            return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? path : nil
        }
    }
}

@Suite(.serialized, .enabled(if: SharedMedia.folder != nil)) struct SharedMediaTests {
    /// Opens and reads a little, or is refused; either way nothing stays open.
    private static func probe(_ path: String) throws(NodeFailure) {
        let source = try Transport.open(path)
        defer { source.close() }
        var reader = try FormatReader(
            source: source, hint: path, budget: ProbeBudget(bytes: 1 << 20, analyze: .seconds(2)))
        var count = 0
        while count < 50, try reader.readPacket() != nil { count += 1 }
    }

    private static func descriptors() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let targets = names.compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        }
        return Set(targets.filter { $0.contains("/shared/media/") || $0.contains("(deleted)") })
    }

    @Test func noFileLeavesADescriptorOpenOrFailsWithoutAReason() async throws {
        let files = try SharedMedia.files()
        #expect(files.count > 400)
        let before = try Self.descriptors()
        for path in files + files {
            let failure: NodeFailure? = await withUnsafeContinuation { continuation in
                BlockingThreads.shared.submit {
                    do throws(NodeFailure) {
                        try Self.probe(path)
                        continuation.resume(returning: nil)
                    } catch { continuation.resume(returning: error) }
                }
            }
            if let failure {
                #expect(failure.code != .internalInvariant && failure.code != .cancelled, "\(path): \(failure)")
                #expect(!failure.message.isEmpty)
            }
        }
        #expect(try Self.descriptors() == before)
    }
}
