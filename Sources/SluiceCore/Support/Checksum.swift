/// A 64-bit Fowler-Noll-Vo hash: stable over processes, unlike `Hasher`. Not for anything that must resist forgery.
public enum Checksum {
    public static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return state
    }
}
