import Glibc
import SluiceAV
public import SluiceCore
import SluiceTransport

/// Plans on disk, found again by the identity of their source.
///
/// A file is written whole or not at all; one that does not read back is removed, and its source planned anew. Every
/// call blocks. May be shared by several processes.
public final class PlanStore: Sendable {
    private static let magic: [UInt8] = Array("SLUICEPLAN1\n".utf8)
    private static let suffix = ".plan"

    private let directory: String
    private let byteLimit: Int

    /// - Parameter byteLimit: size of all plans together; the oldest go first.
    /// - Throws: `.accessDenied` or `.notFound` where the directory cannot be made or written.
    public init(directory: String, byteLimit: Int = 256 << 20) throws(NodeFailure) {
        self.directory = directory
        self.byteLimit = max(0, byteLimit)
        if mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw NodeFailure(.accessDenied, "plan store '\(directory)': \(String(cString: strerror(errno)))")
        }
        guard access(directory, R_OK | W_OK | X_OK) == 0 else {
            throw NodeFailure(.accessDenied, "plan store '\(directory)': \(String(cString: strerror(errno)))")
        }
    }

    /// The plan of a source; nil where there is none, it does not read back, or the source has no identity.
    public func load(_ identity: String?, _ options: PlanBuilder.Options) -> PlannedTitle? {
        guard let identity else { return nil }
        let key = Self.key(identity, options)
        let path = path(of: key)
        guard let bytes = Self.read(path, limit: 64 << 20) else { return nil }
        guard let (facts, plan) = Self.unwrap(bytes, key: key), facts.identity == identity else {
            unlink(path)
            return nil
        }
        // Any complete plan will do where none in particular is asked for.
        guard options.basis.map({ $0 == plan.basis }) ?? true else { return nil }
        var title = PlannedTitle(
            facts: facts, plan: plan,
            route: RoutePolicy.route(facts.streams, capabilities: options.capabilities, facts: facts))
        title.wasStored = true
        return title
    }

    /// Keeps a complete plan; provisional ones and those of sources without identity are not kept. Failures are silent:
    /// the plan is made again the next time.
    public func save(_ title: PlannedTitle, _ options: PlanBuilder.Options) {
        guard let identity = title.facts.identity, !title.plan.isProvisional else { return }
        let key = Self.key(identity, options)
        let payload = PlanArchive.encode(title.facts, title.plan)
        var head = ArchiveWriter()
        head.text(key)
        head.number(Int64(bitPattern: Checksum.of(payload)))
        head.number(payload.count)
        let total = Self.magic.count + head.bytes.count + payload.count
        guard total <= byteLimit else { return }
        makeRoom(for: total)
        guard let file = try? OutputFile(path: path(of: key)) else { return }
        let chunks = [Self.magic, head.bytes, payload].map { ByteChunk($0) }
        guard (try? file.write(chunks)) != nil else { return }
        try? file.commit()
    }

    // MARK: - Private

    /// Everything a plan depends on: the content, how it was to be cut, and who looked at it.
    private static func key(_ identity: String, _ options: PlanBuilder.Options) -> String {
        let selection = options.selection.map { "\($0.video?.index ?? -1):\($0.audio.map(\.index))" } ?? "-"
        let codecs = options.capabilities.codecs.map(\.rawValue).sorted().joined(separator: "+")
        return [
            identity, "\(options.target.nanoseconds)", "\(options.soundTarget.nanoseconds)",
            "\(options.minimum.nanoseconds)", selection, codecs, "\(options.looksAtPictures)",
            "\(options.leavesPictures)",
            "\(PlanArchive.version)", LibraryVersions.current.description,
        ].joined(separator: "|")
    }

    private func path(of key: String) -> String {
        let name = String(Checksum.of(key.utf8), radix: 16)
        return directory + "/" + String(repeating: "0", count: 16 - name.utf8.count) + name + Self.suffix
    }

    private static func unwrap(_ bytes: [UInt8], key: String) -> (TitleFacts, TitlePlan)? {
        guard bytes.starts(with: magic) else { return nil }
        var reader = ArchiveReader(Array(bytes[magic.count...]))
        guard reader.text() == key, let sum = reader.number(), let count = reader.integer(), count >= 0,
            count < bytes.count
        else { return nil }
        let payload = Array(bytes.suffix(count))
        guard Int64(bitPattern: Checksum.of(payload)) == sum else { return nil }
        return PlanArchive.decode(payload)
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0, status.st_size <= limit else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            filled += count
        }
        return bytes
    }

    /// Removes the oldest plans until `size` more bytes fit.
    private func makeRoom(for size: Int) {
        var files: [(path: String, size: Int, age: Int)] = []
        guard let list = opendir(directory) else { return }
        defer { closedir(list) }
        while let entry = readdir(list), files.count < 1_000_000 {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(Self.suffix) else { continue }
            let path = directory + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            files.append((path, Int(status.st_size), status.st_mtim.tv_sec))
        }
        var total = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { $0.age < $1.age }) where total + size > byteLimit {
            unlink(file.path)
            total -= file.size
        }
    }
}
