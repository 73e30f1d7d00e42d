public import Foundation

/// Media and tools that developers share, in the folder that `SLUICE_SHARED` names or beside the package; absent elsewhere.
public enum SharedMaterial {
    public static let root: URL? = {
        let environment = ProcessInfo.processInfo.environment["SLUICE_SHARED"]
        var folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var candidates = environment.map { [URL(filePath: $0)] } ?? []
        // Beside the package, or beside the folder of worktrees it is in.
        for _ in 0..<2 {
            folder.deleteLastPathComponent()
            candidates.append(folder.appending(path: "shared"))
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    /// Path of a shared file or folder; nil where it is absent.
    public static func file(_ path: String) -> String? {
        guard let url = root?.appending(path: path), FileManager.default.fileExists(atPath: url.path) else {
            return nil
        }
        return url.path
    }

    public static let checker = file("tools/hlscheck/hlscheck")
}
