import Glibc
import SluiceCore

/// Finds the folder of graph files: what the user says, `Graphs` in the working directory, or beside the program's
/// package.
enum GraphDirectory {
    /// - Throws: `.notFound` with the places that were looked at.
    static func find(_ wanted: String?) throws(NodeFailure) -> String {
        if let wanted { return wanted }
        var places = ["Graphs"]
        let program: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/proc/self/exe", base, buffer.count)
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self) : nil
        }
        if let program {
            // .build/<configuration>/sluice lies three or four folders below the package; an installation has
            // share/sluice/Graphs beside its bin.
            var folders = program.split(separator: "/").dropLast()
            for _ in 0..<5 where !folders.isEmpty {
                let base = "/" + folders.joined(separator: "/")
                places += [base + "/Graphs", base + "/share/sluice/Graphs"]
                folders = folders.dropLast()
            }
        }
        for place in places where access(place + "/native-loopback.json", R_OK) == 0 { return place }
        throw NodeFailure(
            .notFound, "no graph files in \(places.joined(separator: ", ")); name their folder with --graphs")
    }
}
