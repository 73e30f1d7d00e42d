import SluiceBitstream
import SluiceCore

/// Boxes lie inside their containers, one after the other; no bytes make a reader of boxes trap.
enum BoxProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        _ = try? InitializationContents(bytes)
        _ = try? FragmentContents.all(in: bytes)
        if let tables = try? SampleTableReader.tables(movie: bytes), let broken = violation(tables) { return broken }
        guard let boxes = try? BoxTree.parse(bytes) else { return nil }
        return violation(boxes, inside: 0..<bytes.count)
    }

    private static func violation(_ boxes: [BoxTree], inside container: Range<Int>) -> String? {
        var end = container.lowerBound
        for box in boxes {
            let payload = box.header.payload
            if payload.lowerBound < end || payload.upperBound > container.upperBound {
                return "\(box.header.type) at \(payload) lies outside \(end)..<\(container.upperBound)"
            }
            end = payload.upperBound
            if let inner = violation(box.children, inside: payload) { return inner }
        }
        return nil
    }

    /// Every sample has a time, a size and a place.
    private static func violation(_ tables: [SampleTable]) -> String? {
        for table in tables where table.count > 0 {
            if table.decodeTimes.count != table.count || table.offsets.count != table.count {
                return "\(table.count) samples, \(table.decodeTimes.count) times, \(table.offsets.count) offsets"
            }
            if ![0, table.count].contains(table.compositionOffsets.count) { return "composition offsets of a part" }
            if let sync = table.syncSamples, sync.contains(where: { !(0..<table.count).contains($0) }) {
                return "a sync sample beyond the last one"
            }
            _ = table.presentationTime(table.count - 1)
        }
        return nil
    }
}
