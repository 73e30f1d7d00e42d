import Glibc
import SluiceCore

/// Finds the folder of graph files: what the user says, `Graphs` in the working directory, or beside the program's
/// package.
enum GraphDirectory {
    /// - Throws: `.notFound` with the places that were looked at.
    static func find(_ wanted: String?) throws(NodeFailure) -> String {
        if let wanted { return wanted }
        var places = ["Graphs"]
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            readlink("/proc/self/exe", bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        if count > 0 {
            // .build/<configuration>/sluice lies three or four folders below the package; an installation has
            // share/sluice/Graphs beside its bin.
            var folders = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "/").dropLast()
            for _ in 0..<5 where !folders.isEmpty {
                let base = "/" + folders.joined(separator: "/")
                places += [base + "/Graphs", base + "/share/sluice/Graphs"]
                folders = folders.dropLast()
            }
        }
        for place in places where access(place + "/native-loopback.json", R_OK) == 0 { return place }
        throw NodeFailure(.notFound, "no graph files in \(places.joined(separator: ", ")); name their folder with --graphs")
    }
}
