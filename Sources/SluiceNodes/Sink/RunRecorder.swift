import SluiceAV
import SluiceCore

/// Writes one line for each packet and event that reaches a sink: the record that golden tests compare.
///
/// `packet,<epoch>,<stream>,<pts>,<dts>,<duration>,<key>,<bytes>,<hash>` and `event,<epoch>,<name>`; absent times are
/// empty.
public final class RunRecorder: Sendable {
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one line without its line feed; called in order, from one node.
    public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func packet(_ packet: Packet, hash: String, epoch: Epoch) {
        func text(_ ticks: Int64?) -> String { ticks.map(String.init) ?? "" }
        write(
            "packet,\(epoch.number),\(packet.stream.index),\(text(packet.presentationTicks)),\(text(packet.decodeTicks)),"
                + "\(packet.durationTicks),\(packet.isKeyframe ? 1 : 0),\(packet.byteCount),\(hash)")
    }

    func event(_ event: StreamEvent, epoch: Epoch) { write("event,\(epoch.number),\(event.name)") }
}
