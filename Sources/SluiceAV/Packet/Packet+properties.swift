internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

extension Packet {
    public var stream: StreamID { storage.header.stream }

    /// The clock of every tick count of this packet.
    public var timebase: Timebase { storage.header.clock.timebase }

    /// When the unit is shown, in ticks; nil where the container does not say.
    public var presentationTicks: Int64? { storage.header.presentation }

    /// When the unit is decoded, in ticks; nil where the container does not say.
    public var decodeTicks: Int64? { storage.header.decode }

    /// In ticks; 0 where unknown.
    public var durationTicks: Int64 { storage.header.duration }

    public var presentationTime: Timestamp? { presentationTicks.map { Timestamp($0, timebase) } }
    public var decodeTime: Timestamp? { decodeTicks.map { Timestamp($0, timebase) } }

    /// Whether decoding can begin here, as the container says.
    public var isKeyframe: Bool { has(AV_PKT_FLAG_KEY) }

    /// Must be decoded but not shown: edited out, or before the point that was sought.
    public var isDiscardable: Bool { has(AV_PKT_FLAG_DISCARD) }

    /// No other unit refers to this one, so it may be dropped without decoding it.
    public var isDisposable: Bool { has(AV_PKT_FLAG_DISPOSABLE) }

    /// The container or the source lost part of the unit.
    public var isCorrupt: Bool { has(AV_PKT_FLAG_CORRUPT) }

    /// The unit belongs to the picture of the stream's packet before: the second field of a frame, or the frame that
    /// is shown after one that is not. Never set by a container.
    public var continuesPicture: Bool { storage.header.continuesPicture }

    public var byteCount: Int { storage.header.byteCount }

    /// Offset in the source of the container element that held the unit; nil where unknown.
    public var filePosition: Int64? {
        let position = storage.header.filePosition
        return position < 0 ? nil : position
    }

    /// Payload, side data and about 128 bytes of structure.
    public var byteCost: Int { storage.header.cost }

    /// Decode time, else presentation time, in nanoseconds; nil where the packet has neither.
    public var timelinePosition: Int64? { storage.header.position }

    /// Presentation time, else decode time, in nanoseconds; nil where the packet has neither.
    public var presentationPosition: Int64? { presentationTime?.nanoseconds ?? timelinePosition }

    public mutating func setStream(_ stream: StreamID) {
        makeUnique()
        storage.header.stream = stream
        storage.raw?.pointee.stream_index = Int32(clamping: stream.index)
    }

    /// For readers of a part of a source, whose offsets are its own.
    package mutating func setFilePosition(_ position: Int64) {
        guard storage.header.filePosition != position else { return }
        makeUnique()
        storage.header.filePosition = position
        storage.raw?.pointee.pos = position
    }

    public mutating func setPresentationTicks(_ ticks: Int64?) {
        makeUnique()
        storage.header.presentation = ticks
        storage.raw?.pointee.pts = ticks ?? shim_nopts
        storage.header.updatePosition()
    }

    public mutating func setDecodeTicks(_ ticks: Int64?) {
        makeUnique()
        storage.header.decode = ticks
        storage.raw?.pointee.dts = ticks ?? shim_nopts
        storage.header.updatePosition()
    }

    /// Negative values count as 0, unknown.
    public mutating func setDurationTicks(_ ticks: Int64) {
        makeUnique()
        storage.header.duration = max(0, ticks)
        storage.raw?.pointee.duration = max(0, ticks)
    }

    public mutating func setKeyframe(_ isKeyframe: Bool) { setFlag(AV_PKT_FLAG_KEY, isKeyframe) }
    public mutating func setDiscardable(_ isDiscardable: Bool) { setFlag(AV_PKT_FLAG_DISCARD, isDiscardable) }
    public mutating func setDisposable(_ isDisposable: Bool) { setFlag(AV_PKT_FLAG_DISPOSABLE, isDisposable) }
    public mutating func setContinuesPicture(_ continues: Bool) {
        guard continues != continuesPicture else { return }
        makeUnique()
        storage.header.continuesPicture = continues
    }

    public mutating func setCorrupt(_ isCorrupt: Bool) { setFlag(AV_PKT_FLAG_CORRUPT, isCorrupt) }

    /// Counts all times on another clock, rounded to nearest and saturating.
    public mutating func rescale(to timebase: Timebase) {
        guard timebase != self.timebase else { return }
        let old = self.timebase
        makeUnique()
        storage.header.clock = TimelineClock(timebase)
        setPresentationTicks(presentationTicks?.rescaled(from: old, to: timebase))
        setDecodeTicks(decodeTicks?.rescaled(from: old, to: timebase))
        setDurationTicks(durationTicks.rescaled(from: old, to: timebase))
    }

    /// Replaces all times and the clock they are counted in, at one copy's cost.
    public mutating func setTimes(presentation: Int64?, decode: Int64?, duration: Int64, in timebase: Timebase) {
        makeUnique()
        if timebase != storage.header.clock.timebase { storage.header.clock = TimelineClock(timebase) }
        storage.header.presentation = presentation
        storage.header.decode = decode
        storage.header.duration = max(0, duration)
        storage.header.updatePosition()
        guard let raw = storage.raw else { return }
        raw.pointee.pts = presentation ?? shim_nopts
        raw.pointee.dts = decode ?? shim_nopts
        raw.pointee.duration = max(0, duration)
    }

    private func has(_ flag: Int32) -> Bool { storage.header.flags & flag != 0 }

    private mutating func setFlag(_ flag: Int32, _ isOn: Bool) {
        guard has(flag) != isOn else { return }
        makeUnique()
        storage.header.flags ^= flag
        storage.raw?.pointee.flags = storage.header.flags
    }
}
