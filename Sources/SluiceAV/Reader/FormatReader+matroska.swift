internal import CFFmpeg
internal import CMediaShim
import SluiceCore

// The library opens a Matroska file, knows its streams and finds the places of seeks; the frames of its clusters are read
// past it. It stays where reading began, so that it can take over from there.
extension FormatReader {
    /// Reads clusters without the library from here on, if they are made as most are.
    ///
    /// Only for a container that was opened without a look at packets: what such a look finds out of the codecs changes
    /// the times that the library gives.
    mutating func beginWalking() {
        guard formatName.hasPrefix("matroska"), isUntouched, !isInspected, context.io.source.isSeekable,
            let transfer = context.raw.pointee.pb
        else { return }
        // It has read the identifier of the first cluster. What fails here fails again where it is told.
        let cluster = avio_tell(transfer) - 4
        layout = try? MatroskaLayout(context.io.source, streams: streams, cluster: cluster)
        startWalker(at: cluster, landing: nil)
    }

    /// Goes on without the library where its seek has led, if that is a place in the index.
    mutating func walkOn(from stream: StreamID, _ target: Int64) {
        guard layout != nil, let raw = context.stream(stream.index), let transfer = context.raw.pointee.pb else {
            return
        }
        var first = shim_index_entry()
        var entry = shim_index_entry()
        let count = avformat_index_get_entries_count(raw)
        guard shim_index_entry_at(raw, 0, &first) == 0 else { return }
        let place = av_index_search_timestamp(raw, max(target, first.timestamp), AVSEEK_FLAG_BACKWARD)
        // Behind the last entry it searches differently.
        guard place >= 0, place < count - 1, shim_index_entry_at(raw, place, &entry) == 0,
            entry.position == avio_tell(transfer)
        else { return }
        startWalker(
            at: entry.position, landing: MatroskaReader.Landing(stream: stream.index, ticks: entry.timestamp))
    }

    mutating func stopWalking() {
        isUntouched = false
        walker = nil
        walked = 0
        repeated = 0
    }

    private mutating func startWalker(at position: Int64, landing: MatroskaReader.Landing?) {
        guard let layout,
            wanted.indices.allSatisfy({ !wanted[$0] || layout.isPlain.indices.contains($0) && layout.isPlain[$0] })
        else { return }
        walker = MatroskaReader(
            layout, context.io.source, context, at: position, wanted: wanted, streams: streams, clocks: clocks,
            landing: landing)
    }

    /// The next packet that is read without the library; nil where the library goes on, or with ``endReason`` set.
    mutating func walk() throws(NodeFailure) -> Packet? {
        guard let walker else { return nil }
        isUntouched = false
        do throws(NodeFailure) {
            switch try walker.next() {
            case .packet(let packet):
                walked += 1
                note(packet)
                return packet
            case .end: endReason = reasonForEnd()
            case .foreign:
                self.walker = nil
                repeated = walked
            }
        } catch {
            latched = error
            throw error
        }
        return nil
    }
}
