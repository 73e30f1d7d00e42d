public import SluiceAV
import SluiceCore

/// What a container says about a title beside its media: tags, chapters, attached files. Shown, never acted upon.
public struct TitleAbout: Sendable, Hashable {
    /// Keys as the container writes them, in lower case.
    public private(set) var tags: [String: String] = [:]
    /// In order, on the container's own timeline.
    public private(set) var chapters: [Chapter] = []
    /// Covers, fonts and other files, without their bytes.
    public private(set) var attachments: [Attachment] = []

    /// Most tags, chapters and attachments that are kept; more say nothing to a person.
    static let tagLimit = 128
    static let chapterLimit = 2_000
    static let attachmentLimit = 256
    /// Longest text of a tag, a title or a file name, in characters.
    static let textLimit = 4_096

    public init() {}

    init(tags: [String: String], chapters: [Chapter], attachments: [Attachment]) {
        for (key, value) in tags.sorted(by: { $0.key < $1.key }).prefix(Self.tagLimit) {
            self.tags[Self.short(key.lowercased())] = Self.short(value)
        }
        self.chapters = chapters.prefix(Self.chapterLimit).map { chapter in
            var chapter = chapter
            chapter.title = Self.short(chapter.title)
            return chapter
        }
        self.attachments = attachments.prefix(Self.attachmentLimit).map { attachment in
            var attachment = attachment
            attachment.fileName = attachment.fileName.map(Self.short)
            attachment.mimeType = attachment.mimeType.map(Self.short)
            return attachment
        }
    }

    /// The picture that stands for the title: the first one attached, or the one that is called a cover.
    public var cover: Attachment? {
        let pictures = attachments.filter { $0.kind == .picture }
        return pictures.first { $0.fileName?.lowercased().hasPrefix("cover.") == true } ?? pictures.first
    }

    private static func short(_ text: String) -> String { String(text.prefix(textLimit)) }
}

extension ArchiveWriter {
    mutating func about(_ about: TitleAbout) {
        list(about.tags.sorted { $0.key < $1.key }) { writer, tag in
            writer.text(tag.key)
            writer.text(tag.value)
        }
        list(about.chapters) { writer, chapter in
            writer.text(chapter.title)
            writer.number(chapter.start.ticks)
            writer.timebase(chapter.start.timebase)
            writer.number(chapter.duration.nanoseconds)
        }
        list(about.attachments) { writer, attachment in
            writer.number(attachment.stream.index)
            writer.text(attachment.kind.rawValue)
            writer.text(attachment.codec.rawValue)
            writer.optional(attachment.fileName) { $0.text($1) }
            writer.optional(attachment.mimeType) { $0.text($1) }
            writer.number(attachment.byteCount)
        }
    }
}

extension ArchiveReader {
    mutating func about() -> TitleAbout? {
        let tags = list { reader -> (String, String)? in
            guard let key = reader.text(), let value = reader.text() else { return nil }
            return (key, value)
        }
        let chapters = list { reader -> Chapter? in
            guard let title = reader.text(), let ticks = reader.number(), let base = reader.timebase(),
                let length = reader.number()
            else { return nil }
            return Chapter(title: title, start: Timestamp(ticks, base), duration: .nanoseconds(length))
        }
        let attachments = list { $0.attachment() }
        guard let tags, let chapters, let attachments else { return nil }
        return TitleAbout(
            tags: Dictionary(tags, uniquingKeysWith: { first, _ in first }), chapters: chapters,
            attachments: attachments)
    }

    private mutating func attachment() -> Attachment? {
        guard let stream = streamID(), let kind = text().flatMap({ Attachment.Kind(rawValue: $0) }), let codec = text(),
            let name = optional({ $0.text() }), let type = optional({ $0.text() }), let count = integer()
        else { return nil }
        return Attachment(
            stream: stream, kind: kind, codec: CodecName(rawValue: codec), fileName: name, mimeType: type,
            byteCount: count)
    }
}
