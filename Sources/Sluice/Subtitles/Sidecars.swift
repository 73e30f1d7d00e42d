import Glibc
import SluiceBitstream
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// Subtitle files beside a film.
enum Sidecars {
    /// Entries of a folder that are looked at.
    private static let entryLimit = 65_536
    /// Files of one film.
    private static let limit = 64

    /// The text files that belong to a local film, by name; none for other sources. Blocks.
    ///
    /// Links are not followed: they may lead out of what is served.
    static func find(beside source: String) -> [SubtitleTrack] {
        guard case .file(let name)? = try? SourceLocator(source) else { return [] }
        let path = name.contains("/") ? name : "./" + name
        guard let slash = path.lastIndex(of: "/") else { return [] }
        let (folder, film) = (String(path[...slash]), String(path[path.index(after: slash)...]))
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var found: [(name: String, track: SubtitleTrack)] = []
        var count = 0
        while count < entryLimit, let entry = readdir(list) {
            count += 1
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(validating: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, let parsed = SidecarName(name, beside: film), let identity = identity(of: folder + name)
            else { continue }
            let track = SubtitleTrack(
                rendition: "", origin: .file(SubtitleTrack.Sidecar(path: folder + name, identity: identity)),
                codec: parsed.codec, language: parsed.language, title: parsed.title, disposition: parsed.disposition)
            found.append((name, track))
        }
        return found.sorted { $0.name < $1.name }.prefix(limit).map(\.track)
    }

    /// The cues of a file in the order of their starts. Blocks.
    ///
    /// - Throws: `.sourceChanged` where it is another one than was found; `.limitExceeded` for one that is too large.
    static func cues(_ sidecar: SubtitleTrack.Sidecar, _ codec: CodecName) throws(NodeFailure) -> [TextCue] {
        let bytes = try text(sidecar)
        let cues =
            switch codec {
            case "ass", "ssa": ASSScript.cues(bytes)
            case "webvtt": WebVTT.cues(bytes)
            default: SubRip.cues(bytes)
            }
        return cues.sorted { $0.start < $1.start }
    }

    /// The text of a file in UTF-8. Blocks.
    ///
    /// - Throws: as ``cues(_:_:)``.
    static func text(_ sidecar: SubtitleTrack.Sidecar) throws(NodeFailure) -> [UInt8] {
        guard identity(of: sidecar.path) == sidecar.identity else {
            throw NodeFailure(.sourceChanged, "'\(sidecar.path)' is not what was found before")
        }
        let source = try FileSource(path: sidecar.path)
        defer { source.close() }
        guard let size = source.size, size <= TextLimits.fileBytes else {
            throw NodeFailure(
                .limitExceeded,
                "'\(sidecar.path)' has \(source.size ?? 0) bytes; expected at most \(TextLimits.fileBytes)")
        }
        return TextDecoding.utf8(try read(source, Int(size)))
    }

    private static func read(_ source: FileSource, _ size: Int) throws(NodeFailure) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, size), alignment: 1)
        defer { buffer.deallocate() }
        var done = 0
        while done < size {
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[done..<size]), at: Int64(done))
            if count == 0 { break }
            done += count
        }
        return [UInt8](buffer[..<done])
    }

    /// Nil for everything but a regular file.
    private static func identity(of path: String) -> String? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return "\(info.st_size)-\(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec)"
    }
}

/// Reads each file once.
actor SidecarReader {
    private var reading: [SubtitleTrack.Sidecar: Task<[TextCue], any Error>] = [:]

    func cues(_ sidecar: SubtitleTrack.Sidecar, _ codec: CodecName) async throws -> [TextCue] {
        if let known = reading[sidecar] { return try await known.value }
        let task = Task {
            try await BlockingThreads.shared.run { () throws(NodeFailure) in try Sidecars.cues(sidecar, codec) }
        }
        reading[sidecar] = task
        return try await task.value
    }
}
