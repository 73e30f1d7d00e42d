import Foundation
import FuzzProperties
import Testing

/// Every input that once broke a parser, and the seeds the fuzzers start from.
@Suite struct CorpusReplayTests {
    static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/corpus")

    @Test(arguments: FuzzProperty.allCases)
    func propertyHoldsForEveryFile(property: FuzzProperty) throws {
        let folder = Self.corpus.appending(path: property.rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let violation = property.violation([UInt8](try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }

    /// Damage in the first kilobyte of each seed: every byte cut off, every byte flipped in three ways.
    @Test(arguments: FuzzProperty.allCases)
    func propertyHoldsForDamagedSeeds(property: FuzzProperty) throws {
        let folder = Self.corpus.appending(path: property.rawValue)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let bytes = [UInt8](try Data(contentsOf: file))
            let reach = min(bytes.count, 1024)
            for index in stride(from: 0, to: reach, by: max(1, reach / 128)) {
                #expect(
                    property.violation(Array(bytes.prefix(index))) == nil, "\(file.lastPathComponent) cut at \(index)")
                for flip in [0x01, 0x80, 0xFF] as [UInt8] {
                    var damaged = bytes
                    damaged[index] ^= flip
                    #expect(property.violation(damaged) == nil, "\(file.lastPathComponent) byte \(index) ^ \(flip)")
                }
            }
        }
    }
}
