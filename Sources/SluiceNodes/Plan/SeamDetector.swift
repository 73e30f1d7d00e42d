import SluiceCore

/// Finds where the clock of a source restarts, jumps or wraps. Pure.
///
/// Transport and program streams may be joined from pieces; each piece goes on where the last one ended.
struct SeamDetector {
    /// Larger steps of the master stream are a new clock, smaller ones a hole or a reordering.
    ///
    /// - Note: behaviours PP-11.
    static let forwardLimit = Duration.seconds(10)
    static let backwardLimit = Duration.milliseconds(1_500)
    /// Ticks after which a clock starts again: the system clock of a transport stream, and the milliseconds of FLV, of
    /// which writers keep 31 or 32 bits.
    ///
    /// - Note: ISO/IEC 13818-1 §2.4.3.7; Adobe Flash Video File Format 10.1 §E.4.1.
    private static func wraps(_ timebase: Timebase) -> [Int64] {
        switch timebase {
        case .mpeg: [1 << 33]
        case .milliseconds: [1 << 31, 1 << 32]
        default: []
        }
    }

    private struct Stream {
        var timebase: Timebase
        var last: Int64?
        /// Byte offset of the first packet after each jump.
        var jumps: [Int64] = []
    }

    private var streams: [Stream]
    private let master: Int
    private let step: Int64
    /// Largest shifted presentation time of the master so far, and the shift that holds.
    private var latest: Int64 = .min
    private var shift: Int64 = 0
    private var seams: [ClockEpoch] = []

    static func applies(to formatName: String) -> Bool { ["mpegts", "mpeg", "flv"].contains(formatName) }

    init(_ streams: [StreamFormat], master: StreamID?) {
        self.streams = streams.map { Stream(timebase: $0.timebase) }
        self.master = master?.index ?? 0
        let format = streams.first { $0.id == master }
        let timebase = format?.timebase ?? .mpeg
        if let period = format?.video?.framePeriod {
            step = max(1, Int64(1).rescaled(from: period, to: timebase))
        } else if let audio = format?.audio, let size = audio.frameSize, audio.sampleRate > 0 {
            step = max(1, Int64(size).rescaled(from: Timebase(hertz: Int32(clamping: audio.sampleRate)), to: timebase))
        } else {
            step = max(1, Int64(40).rescaled(from: .milliseconds, to: timebase))
        }
    }

    mutating func add(stream index: Int, time: Int64, presentation: Int64, position: Int64) {
        guard streams.indices.contains(index) else { return }
        defer { streams[index].last = time }
        guard let last = streams[index].last, isJump(from: last, to: time, streams[index].timebase) else {
            if index == master { latest = max(latest, presentation &+ shift) }
            return
        }
        streams[index].jumps.append(position)
        guard index == master else { return }
        let distance = time &- last
        let timebase = streams[index].timebase
        let limit = Self.forwardLimit.nanoseconds.rescaled(from: .nanoseconds, to: timebase)
        // A demuxer that undoes a wider wrap than the writer's goes forward.
        let wrap = Self.wraps(timebase).flatMap { [-$0, $0] }.first { abs(distance &- $0) < limit }
        shift = wrap.map { shift &- $0 } ?? (latest &+ step &- presentation)
        seams.append(ClockEpoch(position: position, shift: shift))
        latest = max(latest, presentation &+ shift)
    }

    /// The stretches after the first. One begins with the first packet of any stream that shows the new clock.
    func epochs() -> [ClockEpoch] {
        seams.enumerated().map { number, seam in
            var seam = seam
            for stream in streams where stream.jumps.count == seams.count {
                seam.position = min(seam.position, stream.jumps[number])
            }
            return seam
        }
    }

    private func isJump(from last: Int64, to time: Int64, _ timebase: Timebase) -> Bool {
        let distance = (time &- last).rescaled(from: timebase, to: .nanoseconds)
        return distance > Self.forwardLimit.nanoseconds || distance < -Self.backwardLimit.nanoseconds
    }
}
