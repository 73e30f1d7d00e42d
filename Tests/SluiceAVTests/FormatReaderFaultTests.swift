import Foundation
import Glibc
import SluiceAV
import SluiceCore
import Testing

@Suite(.enabled(if: Tool.isPresent)) struct FormatReaderFaultTests {
    static let broken = NodeFailure(.transport, "connection reset", isTransient: true, httpStatus: 502)

    private func readAll(_ reader: inout FormatReader) throws(NodeFailure) -> Int {
        var count = 0
        while try reader.readPacket() != nil { count += 1 }
        return count
    }

    /// RD-09: a failed read is not an end, in any container.
    @Test func failureOfTheSourceIsThrownAsItIs() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            let bytes = try Sample.bytes(path)
            let source = MemorySource(bytes)
            var reader = try FormatReader(source: source)
            for _ in 0..<5 { _ = try reader.readPacket() }
            source.setFault(.failing(at: Int64(bytes.count / 2), Self.broken))
            do {
                _ = try readAll(&reader)
                Issue.record("\(path): ended")
            } catch { #expect(error == Self.broken) }
            #expect(reader.endReason == nil)
            source.setFault(nil)
            #expect(throws: Self.broken) { try reader.readPacket() }
            try reader.rewind()
            #expect(try readAll(&reader) == Tool.probe(path).packets.count, "a move clears the failure")
        }
    }

    @Test func failureWhileOpeningIsThrownAsItIs() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            for limit in [0, 1_000, 30_000] as [Int64] {
                let source = MemorySource(try Sample.bytes(path), fault: .failing(at: limit, Self.broken))
                #expect(throws: Self.broken) { _ = try FormatReader(source: source) }
            }
        }
    }

    @Test func interruptedReadIsCancelled() throws {
        let source = MemorySource(try Sample.bytes(Sample.matroska.get()))
        var reader = try FormatReader(source: source)
        source.setFault(.interrupted(at: 100_000))
        do {
            _ = try readAll(&reader)
            Issue.record("ended")
        } catch { #expect(error.code == .cancelled) }
        source.setFault(nil)
        source.resume()
        try reader.rewind()
        #expect(try readAll(&reader) == Tool.probe(Sample.matroska.get()).packets.count)
    }

    /// Wherever a read is cut short: an interruption, never an end, and no packet with half its bytes.
    @Test func noPacketOfAnInterruptedReadLeaves() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            let bytes = try Sample.bytes(path)
            for place in stride(from: bytes.count / 4, to: bytes.count * 4 / 5, by: bytes.count / 23) {
                let source = MemorySource(bytes)
                var reader = try FormatReader(source: source)
                source.setFault(.interrupted(at: Int64(place)))
                do {
                    while let packet = try reader.readPacket() { #expect(!packet.isCorrupt, "\(path) \(place)") }
                    Issue.record("\(path): ended at \(place)")
                } catch { #expect(error.code == .cancelled) }
                #expect(reader.endReason == nil)
            }
        }
    }

    @Test func interruptFromAnotherThreadEndsARead() async throws {
        let source = MemorySource(try Sample.bytes(Sample.mp4.get()))
        source.interrupt()
        do {
            _ = try FormatReader(source: source)
            Issue.record("opened")
        } catch { #expect(error.code == .cancelled) }
    }

    @Test func cutFileGivesItsPacketsAndSaysSo() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get()] {
            let bytes = try Sample.bytes(path)
            var reader = try FormatReader(source: MemorySource(Array(bytes[..<(bytes.count / 3)])))
            let count = try readAll(&reader)
            #expect(count > 100, "\(path)")
            guard case .truncated = reader.endReason else {
                Issue.record("\(path): \(String(describing: reader.endReason))")
                continue
            }
        }
    }

    @Test func sourceThatIsShorterThanItSaysIsAFailure() throws {
        let bytes = try Sample.bytes(Sample.transport.get())
        let source = MemorySource(bytes, size: Int64(bytes.count) + 500_000)
        do {
            var reader = try FormatReader(source: source)
            _ = try readAll(&reader)
            Issue.record("ended")
        } catch { #expect(error.code == .sourceChanged) }
    }

    @Test func damagedBytesNeverTrap() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            let bytes = try Sample.bytes(path)
            var state: UInt64 = 88_172_645_463_325_252
            for _ in 0..<12 {
                var damaged = bytes
                for _ in 0..<300 {
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    damaged[Int(state % UInt64(min(bytes.count, 60_000)))] = UInt8(truncatingIfNeeded: state >> 32)
                }
                guard var reader = try? FormatReader(source: MemorySource(damaged)) else { continue }
                _ = try? readAll(&reader)
                _ = try? reader.rewind()
                _ = try? reader.readPacket()
            }
        }
    }

    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func residentKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    /// 200 openings, half of them failing midway; a lost context costs 64 KiB of buffer alone.
    @Test func openingAndFailingLeakNeitherMemoryNorDescriptors() throws {
        let paths = try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()]
        let cut = Array(try Sample.bytes(paths[1])[..<900])
        func round(_ number: Int) throws {
            let path = paths[number % 3]
            if number % 2 == 0 {
                var reader = try FormatReader(source: DiskSource(path))
                for _ in 0..<10 { _ = try reader.readPacket() }
            } else if number % 4 == 1 {
                #expect(throws: NodeFailure.self) { _ = try FormatReader(source: MemorySource(cut)) }
            } else {
                let source = MemorySource(try Sample.bytes(path), fault: .failing(at: 20_000, Self.broken))
                #expect(throws: Self.broken) { _ = try FormatReader(source: source) }
            }
        }
        for number in 0..<24 { try round(number) }
        let descriptors = try openDescriptors()
        let memory = try residentKiB()
        for number in 0..<200 { try round(number) }
        // Other suites run beside this one and open files and allocate too.
        #expect(try openDescriptors() <= descriptors + 40)
        #expect(try residentKiB() <= memory + 64 * 1_024)
    }
}
