import Foundation

/// Changes the boxes of a movie file whose `moov` lies behind its media, as ffmpeg writes it: sample offsets stay true
/// whatever becomes of the tables.
public struct MovieEditor {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public private(set) var bytes: [UInt8]

    public init(_ path: String) throws {
        bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard let media = Self.box(["mdat"], bytes), let movie = Self.box(["moov"], bytes),
            media.lowerBound < movie.lowerBound
        else { throw Failure(description: "\(path): expected 'moov' behind 'mdat'") }
    }

    public func write(_ path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    /// Boxes of the sample table of the first picture track.
    private static let table = ["moov", "trak", "mdia", "minf", "stbl"]

    // MARK: - Times

    /// Decode durations of the pictures, and composition offsets; these are empty where there are none.
    public func pictureTimes() throws -> (durations: [Int64], offsets: [Int64]) {
        let durations = try runs("stts") ?? []
        return (durations, try runs("ctts") ?? [])
    }

    /// Gives the pictures these decode times (from 0) and composition offsets; nil leaves no `ctts`.
    public mutating func setPictureTimes(decode: [Int64], offsets: [Int64]?) throws {
        let steps = zip(decode.dropFirst(), decode).map { $0 - $1 }
        try replace("stts", Self.table(steps + [steps.last ?? 1]))
        if let offsets { try replace("ctts", Self.table(offsets)) } else { hide("ctts") }
    }

    /// Renames the box everywhere in the movie, so that nobody reads it.
    public mutating func hide(_ name: String) {
        guard let movie = Self.box(["moov"], bytes) else { return }
        var place = movie.lowerBound
        let wanted = Array(name.utf8)
        while place + 4 <= bytes.count {
            if Array(bytes[place..<(place + 4)]) == wanted {
                bytes.replaceSubrange(place..<(place + 4), with: Array("free".utf8))
            }
            place += 1
        }
    }

    /// The pictures lose their edit list.
    public mutating func hidePictureEdits() {
        guard let edits = Self.box(["moov", "trak", "edts"], bytes) else { return }
        put(Array("free".utf8), at: edits.lowerBound + 4)
    }

    // MARK: - Samples

    /// Where the samples of the pictures lie in the file.
    public func pictureSamples() throws -> [Range<Int>] {
        let (sizes, chunks, placing) = (try payload("stsz"), try payload("stco"), try payload("stsc"))
        let all = (0..<Self.number(sizes, 8)).map { Self.number(sizes, 12 + 4 * $0) }
        let entries = (0..<Self.number(placing, 4)).map {
            (first: Self.number(placing, 8 + 12 * $0), count: Self.number(placing, 12 + 12 * $0))
        }
        var samples: [Range<Int>] = []
        for chunk in 0..<Self.number(chunks, 4) {
            var offset = Self.number(chunks, 8 + 4 * chunk)
            let count = entries.last { $0.first <= chunk + 1 }?.count ?? 0
            for _ in 0..<count where samples.count < all.count {
                samples.append(offset..<(offset + all[samples.count]))
                offset += all[samples.count - 1]
            }
        }
        return samples
    }

    /// Overwrites bytes of the file.
    public mutating func put(_ values: [UInt8], at offset: Int) {
        bytes.replaceSubrange(offset..<(offset + values.count), with: values)
    }

    /// Rewrites every sample; what comes of one may be shorter, not longer.
    public mutating func rewriteSamples(_ rewrite: ([UInt8]) -> [UInt8]) throws {
        let samples = try pictureSamples()
        guard let sizes = Self.box(Self.table + ["stsz"], bytes) else { throw Failure(description: "no 'stsz'") }
        var place = 0
        for (number, sample) in samples.enumerated() {
            // Samples of a chunk follow each other.
            if number == 0 || samples[number - 1].upperBound != sample.lowerBound { place = sample.lowerBound }
            let value = rewrite(Array(bytes[sample]))
            guard place + value.count <= sample.upperBound else { throw Failure(description: "sample \(number) grows") }
            put(value, at: place)
            put(Self.big(value.count), at: sizes.lowerBound + 20 + 4 * number)
            place += value.count
        }
    }

    /// The units of a sample with four-byte lengths.
    public static func units(_ sample: [UInt8]) -> [[UInt8]] {
        var units: [[UInt8]] = []
        var place = 0
        while place + 4 < sample.count {
            let end = min(sample.count, place + 4 + number(sample, place))
            units.append(Array(sample[(place + 4)..<end]))
            place = end
        }
        return units
    }

    /// The last unit of a sample claims to end `excess` bytes behind it.
    public mutating func overrun(sample: Range<Int>, by excess: Int) throws {
        var place = sample.lowerBound
        while place + 4 < sample.upperBound {
            let length = Self.number(bytes, place)
            guard place + 4 + length < sample.upperBound else {
                return put(Self.big(length + excess), at: place)
            }
            place += 4 + length
        }
        throw Failure(description: "no unit ends the sample at \(sample)")
    }

    // MARK: - Configuration

    /// The configuration record of the pictures: `avcC` or `hvcC`.
    public func configuration(_ type: String) throws -> [UInt8] {
        guard let place = entry(type) else { throw Failure(description: "no '\(type)'") }
        return Array(bytes[(place + 8)..<(place + Self.number(bytes, place))])
    }

    /// Replaces it by one that is not longer; a `free` box fills the rest.
    public mutating func setConfiguration(_ type: String, _ record: [UInt8]) throws {
        guard let place = entry(type) else { throw Failure(description: "no '\(type)'") }
        let room = Self.number(bytes, place) - 8 - record.count
        guard room == 0 || room >= 8 else { throw Failure(description: "\(record.count) bytes leave \(room)") }
        var value = Self.big(8 + record.count) + Array(type.utf8) + record
        if room > 0 { value += Self.big(room) + Array("free".utf8) + [UInt8](repeating: 0, count: room - 8) }
        put(value, at: place)
    }

    /// Adds a Dolby Vision record to the pictures' sample entry: `dvcC` up to profile 7, `dvvC` beyond.
    public mutating func addVision(profile: Int, compatibility: Int, level: Int = 6) throws {
        var description = try payload("stsd")
        let size = Self.number(description, 8)
        let fields = profile << 9 | level << 3 | 0b101
        var record: [UInt8] = [1, 0, UInt8(fields >> 8 & 0xFF), UInt8(fields & 0xFF), UInt8(compatibility << 4)]
        record += [UInt8](repeating: 0, count: 24 - record.count)
        let box = Self.big(8 + record.count) + Array((profile <= 7 ? "dvcC" : "dvvC").utf8) + record
        description.insert(contentsOf: box, at: 8 + size)
        description.replaceSubrange(8..<12, with: Self.big(size + box.count))
        try replace("stsd", description)
    }

    private func entry(_ type: String) -> Int? {
        guard let table = Self.box(Self.table + ["stsd"], bytes) else { return nil }
        let wanted = Array(type.utf8)
        return (table.lowerBound + 4..<table.upperBound - 4).first { Array(bytes[$0..<($0 + 4)]) == wanted }.map {
            $0 - 4
        }
    }

    // MARK: - Boxes

    private func payload(_ name: String) throws -> [UInt8] {
        guard let found = Self.box(Self.table + [name], bytes) else { throw Failure(description: "no '\(name)'") }
        return Array(bytes[(found.lowerBound + 8)..<found.upperBound])
    }

    /// A run-length table, one value a sample; nil where the box is missing.
    private func runs(_ name: String) throws -> [Int64]? {
        guard Self.box(Self.table + [name], bytes) != nil else { return nil }
        let fields = try payload(name)
        var values: [Int64] = []
        for entry in 0..<Self.number(fields, 4) {
            let value = Int64(Int32(truncatingIfNeeded: Self.number(fields, 12 + 8 * entry)))
            values += [Int64](repeating: value, count: Self.number(fields, 8 + 8 * entry))
        }
        return values
    }

    private static func table(_ values: [Int64]) -> [UInt8] {
        // Version 1 where an offset is negative; decode durations never are.
        var bytes: [UInt8] = [values.contains { $0 < 0 } ? 1 : 0, 0, 0, 0] + big(values.count)
        for value in values { bytes += big(1) + big(Int(UInt32(truncatingIfNeeded: value))) }
        return bytes
    }

    private mutating func replace(_ name: String, _ payload: [UInt8]) throws {
        var path = Self.table + [name]
        guard let found = Self.box(path, bytes) else { throw Failure(description: "no '\(name)'") }
        let grown = payload.count + 8 - found.count
        // The boxes around it first: they lie before it.
        path.removeLast()
        while !path.isEmpty {
            guard let outer = Self.box(path, bytes) else { break }
            put(Self.big(outer.count + grown), at: outer.lowerBound)
            path.removeLast()
        }
        bytes.replaceSubrange(found, with: Self.big(payload.count + 8) + Array(name.utf8) + payload)
    }

    /// The whole box at a path; of several tracks the first one with pictures.
    private static func box(_ path: [String], _ bytes: [UInt8]) -> Range<Int>? {
        func search(_ range: Range<Int>, _ depth: Int) -> Range<Int>? {
            var place = range.lowerBound
            while place + 8 <= range.upperBound {
                let size = number(bytes, place)
                guard size >= 8, place + size <= range.upperBound else { return nil }
                let name = String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self)
                let whole = place..<(place + size)
                let isPicture = name != "trak" || contains("vide", bytes, whole)
                if name == path[depth], isPicture {
                    return depth + 1 == path.count ? whole : search((place + 8)..<(place + size), depth + 1)
                }
                place += size
            }
            return nil
        }
        return search(0..<bytes.count, 0)
    }

    private static func contains(_ name: String, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        Data(bytes[range]).range(of: Data(name.utf8)) != nil
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func big(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
