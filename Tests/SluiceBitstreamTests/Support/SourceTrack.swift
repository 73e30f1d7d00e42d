import SluiceBitstream
import SluiceCore
import Testing

/// A coded track taken out of a progressive or fragmented MP4 that ffmpeg wrote.
struct SourceTrack {
    struct Packet: Equatable {
        var decodeTime: Int64
        var presentationTime: Int64
        var duration: Int64
        var isKey: Bool
        var bytes: [UInt8]
    }

    var entry: InitializationContents.Entry
    var timescale: UInt32
    var packets: [Packet]

    /// Encodes and reads back.
    static func make(_ arguments: [String], in folder: TemporaryFolder, name: String = "source.mp4") throws
        -> SourceTrack
    {
        _ = try MediaTool.ffmpeg(
            arguments + ["-movflags", "+faststart", "-use_editlist", "0", "-strict", "-2", name], in: folder)
        return try read(name, in: folder)
    }

    static func read(_ name: String, in folder: TemporaryFolder) throws -> SourceTrack {
        let file = try folder.read(name)
        let contents = try InitializationContents(file)
        let track = try #require(contents.tracks.first)
        let lines = try MediaTool.probe("packet=pts,dts,duration,size,pos,flags", file: name, in: folder)
        var packets: [Packet] = []
        for line in lines {
            var fields: [String: String] = [:]
            for part in line.split(separator: "|") {
                let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                if pair.count == 2 { fields[pair[0]] = pair[1] }
            }
            guard let size = fields["size"].flatMap({ Int($0) }), let position = fields["pos"].flatMap({ Int($0) }),
                let dts = fields["dts"].flatMap({ Int64($0) }), let pts = fields["pts"].flatMap({ Int64($0) })
            else { continue }
            packets.append(
                Packet(
                    decodeTime: dts, presentationTime: pts, duration: fields["duration"].flatMap { Int64($0) } ?? 0,
                    isKey: fields["flags"]?.hasPrefix("K") == true, bytes: Array(file[position..<(position + size)])))
        }
        return SourceTrack(entry: try #require(track.entries.first), timescale: track.timescale, packets: packets)
    }

    /// Samples with the times of the packets; the last takes its own duration.
    var samples: [FragmentSample] {
        packets.indices.map { index in
            let packet = packets[index]
            let next = index + 1 < packets.count ? packets[index + 1].decodeTime : packet.decodeTime + packet.duration
            return FragmentSample(
                duration: UInt32(next - packet.decodeTime),
                compositionOffset: Int32(packet.presentationTime - packet.decodeTime), isSync: packet.isKey,
                chunks: [ByteChunk(packet.bytes)])
        }
    }

    /// Ranges of samples that begin with a key sample, at least `count` long.
    func segments(of count: Int) -> [Range<Int>] {
        var list: [Range<Int>] = []
        var start = 0
        for index in packets.indices.dropFirst() where packets[index].isKey && index - start >= count {
            list.append(start..<index)
            start = index
        }
        list.append(start..<packets.count)
        return list
    }
}
