import SluiceBitstream
import SluiceCore

/// Boxes lie inside their containers, one after the other; no bytes make a reader of boxes trap.
enum BoxProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        _ = try? InitializationContents(bytes)
        _ = try? FragmentContents.all(in: bytes)
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
}
