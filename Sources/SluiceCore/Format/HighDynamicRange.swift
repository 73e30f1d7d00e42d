/// Colour volume of the display a title was graded on.
///
/// Chromaticities count steps of 0.00002, luminances steps of 0.0001 cd/m², as the coded message does.
/// - Note: ITU-T H.265 §D.3.28, SMPTE ST 2086.
public struct MasteringDisplay: Sendable, Hashable {
    public struct Point: Sendable, Hashable {
        public var x: UInt16
        public var y: UInt16
        public init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }
    }

    public var red: Point
    public var green: Point
    public var blue: Point
    public var white: Point
    public var maximumLuminance: UInt32
    public var minimumLuminance: UInt32

    public init(
        red: Point, green: Point, blue: Point, white: Point, maximumLuminance: UInt32, minimumLuminance: UInt32
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}

/// Brightest sample and brightest picture average of a title, in cd/m².
/// - Note: CTA-861.3 (MaxCLL, MaxFALL).
public struct ContentLightLevel: Sendable, Hashable {
    public var maximumContent: Int
    public var maximumFrameAverage: Int
    public init(maximumContent: Int, maximumFrameAverage: Int) {
        self.maximumContent = maximumContent
        self.maximumFrameAverage = maximumFrameAverage
    }
}
