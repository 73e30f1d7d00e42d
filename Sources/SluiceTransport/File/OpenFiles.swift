import Glibc
import SluiceCore

/// The files that sources of this process read just now, so that no output replaces one of them.
enum OpenFiles {
    private struct Key: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ info: stat) { (device, inode) = (UInt64(info.st_dev), UInt64(info.st_ino)) }
    }

    private static let counts = Locked<[Key: Int]>([:])

    static func add(_ info: stat) { counts.withLock { $0[Key(info), default: 0] += 1 } }

    static func remove(_ info: stat) {
        counts.withLock { counts in
            let left = (counts[Key(info)] ?? 0) - 1
            counts[Key(info)] = left > 0 ? left : nil
        }
    }

    static func contains(_ info: stat) -> Bool { counts.withLock { $0[Key(info)] != nil } }
}
