import SluiceCore
import Testing

@Suite struct UnitsTests {
    @Test(arguments: [
        ("4s", 4_000_000_000), ("250ms", 250_000_000), ("1.5s", 1_500_000_000), ("2m", 120_000_000_000),
        ("1h", 3_600_000_000_000), ("7us", 7_000), ("3ns", 3), ("0s", 0),
    ])
    func durationsAreReadInEveryUnit(text: String, nanoseconds: Int64) {
        #expect(Units.duration(text) == .nanoseconds(nanoseconds))
    }

    @Test(arguments: ["", "s", "4", "-4s", "+4s", "4 s", "1e3s", "0x4s", ".5s", "5.s", "1.2.3s", "2000000h", "4S"])
    func otherTextIsNoDuration(text: String) { #expect(Units.duration(text) == nil) }

    @Test(arguments: [
        ("500B", 500), ("64KiB", 65_536), ("1.5MiB", 1_572_864), ("128MiB", 134_217_728), ("1GiB", 1_073_741_824),
    ])
    func byteSizesAreBinary(text: String, bytes: Int) { #expect(Units.byteSize(text) == bytes) }

    @Test(arguments: ["", "B", "64", "64KB", "64kib", "-1B", "99999999999TiB"])
    func otherTextIsNoByteSize(text: String) { #expect(Units.byteSize(text) == nil) }

    @Test func textIsTheShortestExactForm() {
        #expect(Units.text(.milliseconds(4_000)) == "4s")
        #expect(Units.text(.milliseconds(250)) == "250ms")
        #expect(Units.text(.nanoseconds(1)) == "1ns")
        #expect(Units.text(bytes: 10 << 20) == "10MiB")
        #expect(Units.text(bytes: 1_536 << 10) == "1536KiB")
        #expect(Units.text(bytes: 17) == "17B")
        #expect(Units.text(bytes: 0) == "0B")
    }
}
