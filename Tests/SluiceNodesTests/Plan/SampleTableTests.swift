import Foundation
import SluiceBitstream
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

@Suite(.enabled(if: PlanSources.isPresent))
struct SampleTableTests {
    /// Every packet's place, size and times as ffprobe lists them, without edits.
    @Test func tablesAgreeWithFFprobe() throws {
        let path = try PlanSources.irregularMovie.get()
        let tables = try SampleTableReader.tables(movie: movie(path))
        for (number, table) in tables.enumerated() {
            let rows = try packets(path, stream: number)
            try #require(rows.count == table.count)
            let shift = table.decodeTimes[0] - rows[0].dts
            for (sample, row) in rows.enumerated() {
                #expect(table.offsets[sample] == row.position)
                #expect(Int(table.sizes[sample]) == row.size)
                #expect(table.decodeTimes[sample] - shift == row.dts)
                #expect(table.presentationTime(sample) - shift == row.pts)
                #expect((table.syncSamples?.contains(sample) ?? true) == row.isKey)
            }
        }
        #expect(tables.map(\.handler) == ["vide", "soun"])
        #expect(tables.map(\.entry) == ["avc1", "mp4a"])
    }

    @Test func damagedTablesAreRefusedOrReadButNeverTrap() throws {
        let whole = try movie(PlanSources.irregularMovie.get())
        for length in stride(from: 0, to: whole.count, by: 97) {
            _ = try? SampleTableReader.tables(movie: Array(whole.prefix(length)))
        }
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<6 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes[Int(state % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: state >> 40)
            }
            _ = try? SampleTableReader.tables(movie: bytes)
        }
    }

    private func movie(_ path: String) throws -> [UInt8] {
        let source = try Transport.open(path)
        defer { source.close() }
        return try #require(try MovieBox.read(source))
    }

    private struct Row {
        var pts: Int64
        var dts: Int64
        var size: Int
        var position: Int64
        var isKey: Bool
    }

    private func packets(_ path: String, stream: Int) throws -> [Row] {
        let text = try ExternalTool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "\(stream)", "-show_entries", "packet=pts,dts,size,pos,flags", "-of",
                "csv=p=0", path,
            ])
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count >= 5, let pts = Int64(fields[0]), let dts = Int64(fields[1]), let size = Int(fields[2]),
                let position = Int64(fields[3])
            else { return nil }
            return Row(pts: pts, dts: dts, size: size, position: position, isKey: fields[4].hasPrefix("K"))
        }
    }
}
