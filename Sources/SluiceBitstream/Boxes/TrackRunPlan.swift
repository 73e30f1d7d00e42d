/// Which sample fields a `traf` states once and which a sample.
///
/// - Note: ISO/IEC 14496-12 §8.8.7 (`tfhd`), §8.8.8 (`trun`).
struct TrackRunPlan {
    /// Value of all samples; nil where they differ.
    var duration: UInt32?
    var size: UInt32?
    /// Flags of all samples, or of all but the first when ``firstFlags`` is set.
    var flags: UInt32?
    var firstFlags: UInt32?
    var hasOffsets: Bool

    init(track: TrackFragment, sizes: [UInt32]) {
        let samples = track.samples
        duration = Self.common(samples.lazy.map(\.duration))
        size = Self.common(sizes)
        flags = Self.common(samples.lazy.map(\.flags))
        firstFlags = nil
        if flags == nil, let rest = Self.common(samples.dropFirst().lazy.map(\.flags)) {
            flags = rest
            firstFlags = samples.first?.flags
        }
        hasOffsets = samples.contains { $0.compositionOffset != 0 }
    }

    private static func common(_ values: some Sequence<UInt32>) -> UInt32? {
        var iterator = values.makeIterator()
        guard let first = iterator.next() else { return nil }
        while let next = iterator.next() { if next != first { return nil } }
        return first
    }

    /// Default base is moof, and which defaults follow.
    var headerFlags: UInt32 {
        0x02_0000 | (duration != nil ? 0x08 : 0) | (size != nil ? 0x10 : 0) | (flags != nil ? 0x20 : 0)
    }

    var runFlags: UInt32 {
        0x01 | (firstFlags != nil ? 0x04 : 0) | (duration == nil ? 0x100 : 0) | (size == nil ? 0x200 : 0)
            | (flags == nil ? 0x400 : 0) | (hasOffsets ? 0x800 : 0)
    }
}

extension BoxWriter {
    /// Writes a `traf` and returns where its data offset is to be filled in.
    mutating func trackFragment(_ track: TrackFragment, plan: TrackRunPlan, sizes: [UInt32]) -> Int {
        var offset = 0
        box("traf") { traf in
            traf.fullBox("tfhd", flags: plan.headerFlags) { box in
                box.u32(track.trackID)
                if let duration = plan.duration { box.u32(duration) }
                if let size = plan.size { box.u32(size) }
                if let flags = plan.flags { box.u32(flags) }
            }
            traf.fullBox("tfdt", version: 1) { $0.u64(track.decodeTime) }
            // Version 1: composition offsets are signed.
            traf.fullBox("trun", version: 1, flags: plan.runFlags) { box in
                box.u32(UInt32(clamping: track.samples.count))
                offset = box.bytes.count
                box.u32(0)
                if let first = plan.firstFlags { box.u32(first) }
                for (sample, size) in zip(track.samples, sizes) {
                    if plan.duration == nil { box.u32(sample.duration) }
                    if plan.size == nil { box.u32(size) }
                    if plan.flags == nil { box.u32(sample.flags) }
                    if plan.hasOffsets { box.i32(sample.compositionOffset) }
                }
            }
        }
        return offset
    }
}
