import Foundation
import SluiceBitstream
import TestTools

/// Films of HEVC in ten bits with RPUs that were made of values, one in each picture.
enum VisionFilm {
    /// RPUs as NAL units in hexadecimal digits.
    enum RPU {
        /// Profile 7 with a full enhancement layer.
        static let full =
            "7c011908090840613650ae800801ff801ffc00ffc001fff500000300800000400026e800005400000301272468ac70000005"
            + "00000302c00001400001a000008400000a600000c700000e5000010c00004c0000520000164000018600001a939234563800"
            + "000302800001600000a00000d0000042000005300000638000072800008600002600002900000b200000c300000d00100000"
            + "08000008000008010000030080000080000003001000000800003800000d0000ffff0001fffe0002fffd0003fffc3fff8000"
            + "000300ffffffff8000000301c000400040004000400040004000400040007fff800000030000030000030032103ee700a880"
            + "300800410999808050000003002301180120c07d000020708032007f25c20580"

        static let profile5 =
            "7c01190809004061b6506f003ff801ffc00fffd0000008000006800000400000340000030200000301a0001fffe0003fffc0"
            + "005fffa0007fff87fff0000003001ffffffff0000003003800080008000800080008000800080008000ffff0000003000003"
            + "00000300064207dce01510300800410999808050000003002301180120c07d000020708032002ea8027880"

        static let profile81 =
            "7c0119080908406136506f003ff801ffc00fffd0000008000006800000400000340000030200000301a2566000035ea2566f"
            + "9fceb1c256644ca00000100000030080000003008000000301c36224301860a5e308e0514000001a63e5affff00000030000"
            + "0300000300060207dce01510300800410999808050000003002301180120c07d0000207080320086d383ea80"
    }

    /// An enhancement layer unit without sense.
    static let enhancement: [UInt8] = [0x7E, 0x01, 0xAA, 0xBB, 0xCC]

    static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap { place in
            let start = digits.index(digits.startIndex, offsetBy: place)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    /// Makes pictures at 24 a second with start codes, each opened by a delimiter, and `added` behind each of them.
    ///
    /// - Parameters:
    ///   - color: what the VUI says, as x265 calls it; nil says nothing.
    ///   - path: ends with `.hevc`.
    static func pictures(
        _ path: String, seconds: Int = 6, color: String? = "smpte2084", adding added: [[UInt8]]
    ) throws {
        var parameters = "log-level=none:aud=1:keyint=48:min-keyint=48:scenecut=0:bframes=0"
        if let color { parameters += ":colorprim=bt2020:transfer=\(color):colormatrix=bt2020nc" }
        let plain = path + ".plain.hevc"
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=24:d=\(seconds)",
                "-pix_fmt",
                "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", parameters, plain,
            ])
        let stream = [UInt8](try Data(contentsOf: URL(filePath: plain)))
        var marked: [UInt8] = []
        for (number, unit) in stream.withUnsafeBytes({ Array(AnnexBUnits($0)) }).enumerated() {
            let isNext = HEVCUnitType(header: stream[unit.lowerBound]) == .accessUnitDelimiter
            if isNext, number > 0 { marked += tail(added) }
            marked += [0, 0, 0, 1] + stream[unit]
        }
        try Data(marked + tail(added)).write(to: URL(filePath: path))
        try FileManager.default.removeItem(atPath: plain)
    }

    private static func tail(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    /// The same in a container that `path` names by its extension; nothing declares Dolby Vision.
    static func film(_ path: String, color: String? = "smpte2084", adding added: [[UInt8]]) throws {
        let bare = path + ".hevc"
        try pictures(bare, color: color, adding: added)
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-nostdin", "-fflags", "+genpts", "-r", "24", "-i", bare, "-c", "copy", path,
            ])
        try FileManager.default.removeItem(atPath: bare)
    }
}
