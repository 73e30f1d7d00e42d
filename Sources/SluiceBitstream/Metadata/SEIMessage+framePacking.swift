extension SEIMessage {
    /// A frame packing arrangement that holds: checkerboard, columns, rows, side by side, top and bottom.
    ///
    /// - Note: ITU-T H.264 §D.2.26.
    package var isFramePacking: Bool {
        guard type == 45 else { return false }
        return payload.withUnsafeBytes { bytes in
            var bits = BitReader(bytes)
            _ = bits.ue()
            let isCancelled = bits.flag()
            let arrangement = bits.u(7)
            return !bits.overran && !isCancelled && arrangement <= 4
        }
    }
}
