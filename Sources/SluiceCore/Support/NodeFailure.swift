/// Why a stage, or a library call it made, could not go on.
///
/// The message says what failed, where in the input, and what was expected. Whoever supervises adds the node, its
/// group and the epoch; the thrower does not repeat them.
public struct NodeFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to switch on. New codes may appear; handle unknown ones as failures of the title.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// Bytes that are not what their container or codec says.
        public static let malformedInput = Code(rawValue: "malformed-input")
        /// Well-formed, but nothing here can take it.
        public static let unsupported = Code(rawValue: "unsupported")
        /// Not media at all, as far as the probe can see.
        public static let notMedia = Code(rawValue: "not-media")
        /// The source does not exist or may not be read.
        public static let notFound = Code(rawValue: "not-found")
        /// The source exists but refuses this reader (401, 403, a path outside the mounted roots).
        public static let accessDenied = Code(rawValue: "access-denied")
        /// The source answered with an error or broke off.
        public static let transport = Code(rawValue: "transport")
        /// The source is not the one that was planned.
        public static let sourceChanged = Code(rawValue: "source-changed")
        /// A declared bound was reached.
        public static let limitExceeded = Code(rawValue: "limit-exceeded")
        /// Nothing happened within a stated time.
        public static let timedOut = Code(rawValue: "timed-out")
        /// Stopped because its caller asked for it.
        public static let cancelled = Code(rawValue: "cancelled")
        /// An option's value cannot be used.
        public static let invalidOption = Code(rawValue: "invalid-option")
        /// The host did not provide something the node needs.
        public static let missingResource = Code(rawValue: "missing-resource")
        /// A resource of the machine ran out (memory, descriptors, disk).
        public static let exhausted = Code(rawValue: "exhausted")
        /// Our own mistake.
        public static let internalInvariant = Code(rawValue: "internal-invariant")
    }

    public var code: Code
    public var message: String
    /// True only where trying again can help (network); never for bad bytes.
    public var isTransient: Bool
    /// HTTP status of the source's answer, where there was one.
    public var httpStatus: Int?

    public init(_ code: Code, _ message: String, isTransient: Bool = false, httpStatus: Int? = nil) {
        self.code = code
        self.message = message
        self.isTransient = isTransient
        self.httpStatus = httpStatus
    }

    public var description: String { "\(code): \(message)" }
}
