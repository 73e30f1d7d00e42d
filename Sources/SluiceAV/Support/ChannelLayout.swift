internal import CFFmpeg

/// Text forms of channel layouts.
enum ChannelLayout {
    /// FFmpeg's description (`5.1(side)`); nil where the layout is unset.
    static func describe(_ layout: UnsafePointer<AVChannelLayout>) -> String? {
        guard layout.pointee.nb_channels > 0, layout.pointee.order != AV_CHANNEL_ORDER_UNSPEC else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, av_channel_layout_describe(layout, base, buffer.count) > 0 else {
                return nil
            }
            base[buffer.count - 1] = 0
            return String(cString: base)
        }
    }

    /// Fills a layout from its name, or from a number of channels where the name says nothing.
    ///
    /// - Returns: whether there is one now.
    @discardableResult
    static func set(_ layout: UnsafeMutablePointer<AVChannelLayout>, _ name: String?, channels: Int) -> Bool {
        av_channel_layout_uninit(layout)
        if let name, av_channel_layout_from_string(layout, name) == 0, layout.pointee.nb_channels > 0 { return true }
        av_channel_layout_uninit(layout)
        guard (1...64).contains(channels) else { return false }
        av_channel_layout_default(layout, Int32(channels))
        return true
    }
}
