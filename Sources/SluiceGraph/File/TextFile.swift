import Glibc

/// Reads small files whole, without Foundation.
enum TextFile {
    /// The bytes of the regular file at `path`, at most `maximumBytes`; nil with `errno` set where it cannot be read.
    static func read(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < maximumBytes {
            let count = Glibc.read(descriptor, &block, min(block.count, maximumBytes - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: block[..<count])
        }
        return bytes
    }

    /// Names in the directory at `path` that end in `suffix`, sorted; nil with `errno` set where it cannot be read.
    static func names(in path: String, suffix: String, maximumCount: Int) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < maximumCount, let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
