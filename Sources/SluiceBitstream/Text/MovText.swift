/// Timed text of MP4: a length, a text, boxes with styles.
///
/// - Note: 3GPP TS 26.245 §5.17. Styles of the text (`styl`) are kept, what fonts and boxes say is not.
package enum MovText {
    package static func cue(_ bytes: [UInt8], start: Int64, end: Int64?) -> TextCue? {
        bytes.withUnsafeBytes { raw -> TextCue? in
            var reader = ByteReader(raw)
            let length = Int(reader.u16())
            guard length > 0, length <= reader.remaining else { return nil }
            let text = decoded(Array(raw[reader.offset..<(reader.offset + length)]))
            reader.skip(length)
            var builder = CueTextBuilder()
            let spans = spans(&reader, raw)
            guard !spans.isEmpty else {
                builder.append(text)
                return finished(builder, start, end)
            }
            // Places are counted in characters, which are scalars there.
            var number = 0
            var span = 0
            for scalar in text.unicodeScalars {
                while span < spans.count, spans[span].range.upperBound <= number { span += 1 }
                builder.style =
                    span < spans.count && spans[span].range.contains(number) ? spans[span].style : TextStyle()
                builder.append(scalar)
                number += 1
            }
            return finished(builder, start, end)
        }
    }

    private static func finished(_ builder: CueTextBuilder, _ start: Int64, _ end: Int64?) -> TextCue? {
        let text = builder.finished()
        return text.isEmpty ? nil : TextCue(start: start, end: end, text: text)
    }

    private static func decoded(_ bytes: [UInt8]) -> String {
        let text: String
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            text = TextDecoding.text(bytes)
        } else {
            text = String(decoding: bytes, as: UTF8.self)
        }
        return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    private static func spans(
        _ reader: inout ByteReader, _ raw: UnsafeRawBufferPointer
    ) -> [(range: Range<Int>, style: TextStyle)] {
        var spans: [(range: Range<Int>, style: TextStyle)] = []
        while reader.remaining >= 8 {
            let size = Int(reader.u32())
            let kind = reader.fourCC()
            guard size >= 8, size - 8 <= reader.remaining else { break }
            guard kind == "styl" else {
                reader.skip(size - 8)
                continue
            }
            let end = reader.offset + size - 8
            let count = Int(reader.u16())
            for _ in 0..<min(count, TextLimits.runs) where reader.offset + 12 <= end {
                let (first, last) = (Int(reader.u16()), Int(reader.u16()))
                reader.skip(2)
                let face = reader.u8()
                reader.skip(1)
                let color = reader.u32() >> 8
                var style = TextStyle()
                style.isBold = face & 1 != 0
                style.isItalic = face & 2 != 0
                style.isUnderlined = face & 4 != 0
                if color != 0xFFFFFF { style.color = TextColor(rgb: color) }
                if first < last, spans.last.map({ $0.range.upperBound <= first }) ?? true {
                    spans.append((first..<last, style))
                }
            }
            reader.skip(max(0, end - reader.offset))
        }
        return spans
    }
}
