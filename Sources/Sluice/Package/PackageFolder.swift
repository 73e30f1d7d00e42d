import Glibc
import SluiceCore
import SluiceTransport

/// The folder of a presentation, held by one writer at a time.
///
/// The hold is a lock on the folder itself, which ends with the process however that ends.
final class PackageFolder: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Makes the folder and those above it.
    ///
    /// - Throws: `.invalidOption` where something else bears the name; `.accessDenied` where it may not be made or another
    ///   process writes to it; `.exhausted`.
    init(_ path: String) throws(NodeFailure) {
        self.path = path
        var place = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            place += place.isEmpty && part.isEmpty ? "/" : (place.isEmpty || place == "/" ? "" : "/") + part
            try Self.make(place)
        }
        descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw Self.failure(path, code) }
            throw NodeFailure(.accessDenied, "folder '\(path)': another process writes a presentation there")
        }
    }

    deinit { close(descriptor) }

    func makeFolder(_ name: String) throws(NodeFailure) { try Self.make("\(path)/\(name)") }

    /// Looks who bears the name of a file that is about to be written: a link would lead out of the folder, and nobody may
    /// ever read what goes into a FIFO.
    ///
    /// - Throws: `.invalidOption` for everything but a regular file and nothing.
    func claim(_ name: String) throws(NodeFailure) {
        var info = stat()
        guard lstat("\(path)/\(name)", &info) == 0, info.st_mode & S_IFMT != S_IFREG else { return }
        throw NodeFailure(.invalidOption, "'\(path)/\(name)' is no regular file; expected one, or nothing of that name")
    }

    /// Removes the presentation that is here already: playlists, the segments they list that have our names, and what a
    /// run that was killed left in the folders of `renditions`.
    ///
    /// Playlists go first, so that none is left without its segments. Everything else stays.
    ///
    /// - Throws: `.invalidOption` where `source` is one of the files.
    func clear(keeping source: String, renditions: [String]) throws(NodeFailure) {
        var stale: [String] = []
        var folders: [String] = []
        for playlist in names(suffix: ".m3u8") {
            let name = String(playlist.dropLast(5))
            let files = listed(in: playlist).filter { Self.isOurs($0, of: name) }
            if !files.isEmpty || playlist == "master.m3u8" { stale.insert(playlist, at: 0) }
            if !files.isEmpty { folders.append(name) }
            stale += files
        }
        for name in renditions { stale += leftovers(of: name) }
        for file in stale where isSame(file, source) {
            throw NodeFailure(.invalidOption, "'\(source)' belongs to the presentation in '\(path)' that is replaced")
        }
        for file in stale { unlink("\(path)/\(file)") }
        // One that holds more than was listed stays.
        for folder in folders { rmdir("\(path)/\(folder)") }
    }

    /// `video/seg-12.m4s` and `video/init-0.mp4` for the rendition `video`.
    private static func isOurs(_ file: String, of rendition: String) -> Bool {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == rendition, !rendition.hasPrefix(".") else { return false }
        for (prefix, suffix) in [("seg-", ".m4s"), ("init-", ".mp4"), ("seg-", ".vtt")]
        where parts[1].hasPrefix(prefix) && parts[1].hasSuffix(suffix) {
            let number = parts[1].dropFirst(prefix.count).dropLast(suffix.count)
            return !number.isEmpty && number.utf8.count <= 9 && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return false
    }

    /// References of a playlist, without those of variants.
    private func listed(in playlist: String) -> Set<String> {
        guard let bytes = read("\(path)/\(playlist)"), bytes.starts(with: Array("#EXTM3U".utf8)) else { return [] }
        var files: Set<String> = []
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#EXT-X-MAP:"), let start = line.firstRange(of: "URI=\"")?.upperBound {
                files.insert(String(line[start...].prefix { $0 != "\"" }))
            } else if !line.hasPrefix("#") {
                files.insert(String(line))
            }
        }
        return files
    }

    /// Segments and sections of our naming in a rendition's folder, finished or not.
    private func leftovers(of rendition: String) -> [String] {
        Self.entries(of: "\(path)/\(rendition)", limit: 1 << 20) { name in
            let end = name.firstRange(of: ".part")?.lowerBound
            let isPart = end.map { name[$0...].dropFirst(5).utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? true
            return isPart && Self.isOurs("\(rendition)/\(name[..<(end ?? name.endIndex)])", of: rendition)
        }.map { "\(rendition)/\($0)" }
    }

    private func names(suffix: String) -> [String] {
        Self.entries(of: path, limit: 4_096) { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
    }

    private static func entries(of folder: String, limit: Int, where isWanted: (String) -> Bool) -> [String] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(validating: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, isWanted(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// A regular file of at most 64 MiB.
    private func read(_ path: String) -> [UInt8]? {
        guard let source = try? FileSource(path: path), let size = source.size, size <= 64 << 20 else { return nil }
        defer { source.close() }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = bytes.withUnsafeMutableBytes { try? source.read(into: $0, at: 0) }
        return count == bytes.count ? bytes : nil
    }

    private func isSame(_ file: String, _ source: String) -> Bool {
        guard case .file(let other)? = try? SourceLocator(source) else { return false }
        var (left, right) = (stat(), stat())
        guard stat("\(path)/\(file)", &left) == 0, stat(other, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    private static func make(_ path: String) throws(NodeFailure) {
        if path.isEmpty || mkdir(path, 0o755) == 0 { return }
        guard errno == EEXIST || errno == EISDIR else { throw failure(path) }
        var info = stat()
        guard stat(path, &info) == 0 else { throw failure(path) }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw NodeFailure(.invalidOption, "'\(path)' is not a folder; expected one to write to")
        }
    }

    private static func failure(_ path: String, _ error: Int32 = errno) -> NodeFailure {
        let code: NodeFailure.Code =
            switch error {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .accessDenied
            case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EMLINK: .exhausted
            default: .invalidOption
            }
        return NodeFailure(code, "folder '\(path)': \(String(cString: strerror(error)))")
    }
}
