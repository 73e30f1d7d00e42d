import Glibc

/// Figures of one benchmark.
struct Measurement {
    let name: String
    let items: Int
    let hops: Int
    /// Nanoseconds an item, fastest run first.
    let nanoseconds: [Double]
    /// Payloads that came out of a run; nil where the benchmark checks them itself.
    let out: Int?
    /// Bytes a second in the median run; nil where the benchmark moves none.
    let bytesPerSecond: Double?
    /// KiB, of the process so far.
    let peakResident: Int

    var minimum: Double { nanoseconds.first ?? 0 }
    var median: Double { nanoseconds.isEmpty ? 0 : nanoseconds[nanoseconds.count / 2] }
    var maximum: Double { nanoseconds.last ?? 0 }

    var line: String {
        let figures = "\(round(minimum)) · \(round(median)) · \(round(maximum)) ns/item"
        let rate = bytesPerSecond.map { "  \(round($0 / 1_048_576)) MiB/s" } ?? ""
        let count = out.map { "  \($0) of \(items) out" } ?? ""
        return "\(name)  \(figures)\(rate)\(count)  peak \(peakResident) KiB"
    }

    var json: String {
        let rate = bytesPerSecond.map { "\(round($0))" } ?? "null"
        return """
            {"name":"\(name)","items":\(items),"hops":\(hops),"nsPerItem":{"min":\(round(minimum)),\
            "median":\(round(median)),"max":\(round(maximum))},"bytesPerSecond":\(rate),\
            "out":\(out.map(String.init) ?? "null"),\
            "peakResidentKiB":\(peakResident)}
            """
    }

    private func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// KiB of the largest resident set so far.
    static var residentPeak: Int {
        // The kernel's own `ru_maxrss` keeps what the process was before it became this program.
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.prefix { $0 != 0 }.map { Character(Unicode.Scalar(UInt8(bitPattern: $0))) }
            let words = String(text).split { $0 == " " || $0 == "\t" }
            if words.count > 1, words[0] == "VmHWM:" { return Int(words[1]) ?? 0 }
        }
        return 0
    }
}
