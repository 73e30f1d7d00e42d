/// Where a coded picture stands among the others in presentation order, as its slice header says.
public struct PictureOrder: Sendable, Hashable, Comparable {
    /// Coded video sequences since the count began: everything of one is presented before everything of the next.
    public var sequence: Int32
    /// Picture order count; distances between pictures are not always 1.
    public var count: Int32
    /// What tells the two fields of a frame apart; nil for a whole frame.
    public var field: Field?

    public struct Field: Sendable, Hashable {
        public var isBottom: Bool
        public var isReference: Bool
        public var frameNumber: UInt32

        /// Whether this is the second field of the frame that `first` began.
        ///
        /// - Note: ITU-T H.264 §3.30, §7.4.1.2.4 (complementary field pairs).
        public func completes(_ first: Field) -> Bool {
            isBottom != first.isBottom && frameNumber == first.frameNumber && isReference == first.isReference
        }
    }

    public init(sequence: Int32, count: Int32, field: Field? = nil) {
        self.sequence = sequence
        self.count = count
        self.field = field
    }

    public static func < (left: PictureOrder, right: PictureOrder) -> Bool {
        (left.sequence, left.count) < (right.sequence, right.count)
    }
}
