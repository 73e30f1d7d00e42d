internal import CFFmpeg
public import SluiceCore

/// The FFmpeg libraries this build was compiled against and the ones that answer its calls.
///
/// A second FFmpeg in the process can answer instead of the one that was meant; structures differ between major
/// versions, so that must be found before the first call that hands one over.
public struct LibraryVersions: Sendable, Hashable, CustomStringConvertible {
    public struct Version: Sendable, Hashable, CustomStringConvertible {
        public var major: Int
        public var minor: Int
        public var micro: Int
        public var description: String { "\(major).\(minor).\(micro)" }

        init(_ major: Int32, _ minor: Int32, _ micro: Int32) {
            (self.major, self.minor, self.micro) = (Int(major), Int(minor), Int(micro))
        }

        /// From the packed form `major << 16 | minor << 8 | micro`.
        init(packed: UInt32) { self.init(Int32(packed >> 16), Int32(packed >> 8 & 0xFF), Int32(packed & 0xFF)) }
    }

    public struct Library: Sendable, Hashable, CustomStringConvertible {
        public var name: String
        public var compiled: Version
        public var loaded: Version
        public var description: String { "\(name) \(loaded) (compiled against \(compiled))" }
    }

    public var libraries: [Library]

    init(libraries: [Library]) { self.libraries = libraries }

    /// What this process runs with.
    public static var current: LibraryVersions {
        LibraryVersions(libraries: [
            Library(
                name: "libavutil",
                compiled: Version(LIBAVUTIL_VERSION_MAJOR, LIBAVUTIL_VERSION_MINOR, LIBAVUTIL_VERSION_MICRO),
                loaded: Version(packed: avutil_version())),
            Library(
                name: "libavcodec",
                compiled: Version(LIBAVCODEC_VERSION_MAJOR, LIBAVCODEC_VERSION_MINOR, LIBAVCODEC_VERSION_MICRO),
                loaded: Version(packed: avcodec_version())),
            Library(
                name: "libavformat",
                compiled: Version(LIBAVFORMAT_VERSION_MAJOR, LIBAVFORMAT_VERSION_MINOR, LIBAVFORMAT_VERSION_MICRO),
                loaded: Version(packed: avformat_version())),
            Library(
                name: "libavfilter",
                compiled: Version(LIBAVFILTER_VERSION_MAJOR, LIBAVFILTER_VERSION_MINOR, LIBAVFILTER_VERSION_MICRO),
                loaded: Version(packed: avfilter_version())),
            Library(
                name: "libswresample",
                compiled: Version(
                    LIBSWRESAMPLE_VERSION_MAJOR, LIBSWRESAMPLE_VERSION_MINOR, LIBSWRESAMPLE_VERSION_MICRO),
                loaded: Version(packed: swresample_version())),
            Library(
                name: "libswscale",
                compiled: Version(LIBSWSCALE_VERSION_MAJOR, LIBSWSCALE_VERSION_MINOR, LIBSWSCALE_VERSION_MICRO),
                loaded: Version(packed: swscale_version())),
        ])
    }

    /// Throws `.unsupported` where a loaded library has another major version than its headers, naming all of them.
    public func verify() throws(NodeFailure) {
        let wrong = libraries.filter { $0.loaded.major != $0.compiled.major }
        guard wrong.isEmpty else {
            throw NodeFailure(
                .unsupported,
                "loaded libraries are not the ones compiled against: "
                    + wrong.map(\.description).joined(separator: ", "))
        }
    }

    /// One library a line.
    public var description: String { libraries.map(\.description).joined(separator: "\n") }
}
