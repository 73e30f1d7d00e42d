public import SluiceAV
import SluiceBitstream
public import SluiceCore

/// Looks for metadata of each picture in the first pictures of a stream; absence within the bounds proves nothing. Pure.
///
/// - Note: behaviours, feature 130: no decoder is opened, and only whole, well-formed payloads count.
public struct SignalProbe: Sendable {
    /// Pictures, and bytes of them, that are looked at.
    public static let pictureLimit = 240
    public static let byteLimit = 64 << 20

    /// What was found so far.
    public private(set) var signal: PictureSignal
    private let format: StreamFormat
    private var pictures = 0
    private var bytes = 0

    public init(_ format: StreamFormat) {
        self.format = format
        signal = PictureSignal(format, coded: nil, first: [])
    }

    /// Whether the bounds are reached.
    public var isExhausted: Bool { pictures >= Self.pictureLimit || bytes >= Self.byteLimit }

    public mutating func add(_ packet: Packet) {
        guard packet.stream == format.id, !isExhausted else { return }
        pictures += 1
        bytes += packet.byteCount
        if packet.hasSideData { look(beside: packet) }
        packet.withUnsafeBytes { signal.take(picture: $0, of: format) }
    }

    /// Matroska has it beside the pictures for VP9 and AV1. Later versions of the library parse it, earlier ones hand
    /// out the block's addition: its number, 4 for ITU-T T.35, and the message.
    private mutating func look(beside packet: Packet) {
        if packet.sideData(.hdr10Plus) != nil { signal.note(.hdr10Plus) }
        guard let addition = packet.sideData(.blockAdditional), addition.count > 8,
            addition.prefix(8).elementsEqual([0, 0, 0, 0, 0, 0, 0, 4]),
            let kind = RegisteredMetadata(Array(addition.dropFirst(8)))
        else { return }
        signal.note(kind)
    }
}
