import Glibc
public import SluiceCore

/// Compares a log of what came out with a committed file. A file is only ever written when the environment says so.
///
/// With `SLUICE_UPDATE_GOLDEN=1` a differing file is written anew and the comparison still fails, so that no run is
/// both the author and the judge of a golden file.
public struct GoldenFile: Sendable {
    public let path: String

    /// - Parameters:
    ///   - path: file to compare with, relative to the folder of the file that names it.
    public init(_ path: String, besides file: String = #filePath) {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        self.path = path.hasPrefix("/") ? path : folder + "/" + path
    }

    /// Nil when `lines` is what the file holds; else the first difference.
    public func difference(from lines: [String]) -> String? {
        guard let text = Self.read(path) else {
            return "\(path) does not exist" + update(lines)
        }
        var expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if expected.last == "" { expected.removeLast() }
        for index in 0..<max(expected.count, lines.count) {
            let (old, new) = (
                index < expected.count ? expected[index] : "(nothing)", index < lines.count ? lines[index] : "(nothing)"
            )
            if old != new { return "\(path):\(index + 1): expected '\(old)', got '\(new)'" + update(lines) }
        }
        return nil
    }

    /// One line an item: events by name and content, payloads by position, size and a hash of what `describe` gives.
    public static func log<Payload>(_ items: [Item<Payload>], _ bytes: (Payload) -> [UInt8]) -> [String] {
        items.map { item in
            switch item {
            case .event(let event): return "event \(event.name)"
            case .payload(let payload):
                let content = bytes(payload)
                let position = payload.timelinePosition.map(String.init) ?? "-"
                return "payload \(position) \(content.count) \(hash(content))"
            }
        }
    }

    /// FNV-1a over 64 bits, as 16 hexadecimal digits: enough to notice a change, no defence against intent.
    public static func hash(_ bytes: [UInt8]) -> String {
        let digits = String(Checksum.of(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func update(_ lines: [String]) -> String {
        guard let wish = getenv("SLUICE_UPDATE_GOLDEN"), String(cString: wish) == "1" else { return "" }
        guard let file = fopen(path, "w") else { return "; could not be written" }
        defer { fclose(file) }
        for line in lines {
            fputs(line, file)
            fputs("\n", file)
        }
        return "; written anew, look at it and run again"
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
