import Foundation
import SluiceCore
import Testing

@testable import Sluice

@Suite struct LibraryTests {
    /// A root with a film, a folder, a link that stays and a link that leaves.
    private func withRoot(_ body: (Library, String) throws -> Void) throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "sluice-library-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: base) }
        let root = base.appending(path: "films")
        try FileManager.default.createDirectory(at: root.appending(path: "deep"), withIntermediateDirectories: true)
        for name in ["films/a.mkv", "films/deep/b.mkv", "secret.txt", "films/.hidden"] {
            try Data("x".utf8).write(to: base.appending(path: name))
        }
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: root.appending(path: "inside.mkv"), withDestinationURL: root.appending(path: "a.mkv"))
        try manager.createSymbolicLink(
            at: root.appending(path: "outside.mkv"), withDestinationURL: base.appending(path: "secret.txt"))
        var library = Library()
        try library.mount(root.path())
        try body(library, root.path())
    }

    @Test func resolvesFilesBelowTheRootOnly() throws {
        try withRoot { (library: Library, _: String) throws in
            let path1 = try library.resolve(["films", "a.mkv"])
            #expect(path1.hasSuffix("/films/a.mkv"))
            let path2 = try library.resolve(["films", "deep", "b.mkv"])
            #expect(path2.hasSuffix("/deep/b.mkv"))
            let path3 = try library.resolve(["films", "inside.mkv"])
            #expect(path3.hasSuffix("/films/a.mkv"))
            for (components, code) in [
                (["films", "outside.mkv"], NodeFailure.Code.accessDenied), (["films", "..", "secret.txt"], .notFound),
                (["films", "none.mkv"], .notFound), (["other", "a.mkv"], .notFound), (["films"], .notFound),
                ([], .notFound), (["films", ""], .notFound),
            ] {
                let failure = #expect(throws: NodeFailure.self) { try library.resolve(components) }
                #expect(failure?.code == code, "\(components)")
            }
        }
    }

    @Test func listsRegularFilesSortedWithoutHiddenOnesAndLinks() throws {
        try withRoot { (library: Library, _: String) throws in
            #expect(library.files() == [["films", "a.mkv"], ["films", "deep", "b.mkv"]])
        }
    }

    @Test func aSecondRootOfTheSameNameGetsANumber() throws {
        try withRoot { (library: Library, path: String) throws in
            var library = library
            try library.mount(path + "/deep/b.mkv")
            try library.mount(path)
            #expect(library.roots.map(\.name) == ["films", "b.mkv", "films-2"])
            let path4 = try library.resolve(["b.mkv"])
            #expect(path4.hasSuffix("/deep/b.mkv"))
        }
    }
}
