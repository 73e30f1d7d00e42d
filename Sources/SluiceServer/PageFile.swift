/// A file of the status page, held by the program itself.
struct PageFile: Sendable {
    let bytes: [UInt8]
    /// Media type.
    let type: String
    /// Strong: over the bytes.
    let entityTag: String

    private init(_ bytes: [UInt8], _ type: String) {
        self.bytes = bytes
        self.type = type
        // FNV-1a, 64 bits: it tells versions of one file apart and protects against nobody.
        let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        entityTag = "\"\(String(hash, radix: 16))\""
    }

    /// The file at a request's path; nil where the page has none.
    static func named(_ path: String) -> PageFile? { all[path] }

    private static let script = "text/javascript; charset=utf-8"

    /// By the paths they are served at.
    static let all: [String: PageFile] = [
        "/": PageFile(PackageResources.index_html, "text/html; charset=utf-8"),
        "/page/page.css": PageFile(PackageResources.page_css, "text/css; charset=utf-8"),
        "/page/icon.svg": PageFile(PackageResources.icon_svg, "image/svg+xml"),
        "/page/boxes.js": PageFile(PackageResources.boxes_js, script),
        "/page/captions.js": PageFile(PackageResources.captions_js, script),
        "/page/cues.js": PageFile(PackageResources.cues_js, script),
        "/page/feeder.js": PageFile(PackageResources.feeder_js, script),
        "/page/fetching.js": PageFile(PackageResources.fetching_js, script),
        "/page/figures.js": PageFile(PackageResources.figures_js, script),
        "/page/graph.js": PageFile(PackageResources.graph_js, script),
        "/page/lane.js": PageFile(PackageResources.lane_js, script),
        "/page/library.js": PageFile(PackageResources.library_js, script),
        "/page/page.js": PageFile(PackageResources.page_js, script),
        "/page/pictures.js": PageFile(PackageResources.pictures_js, script),
        "/page/player.js": PageFile(PackageResources.player_js, script),
        "/page/playlist.js": PageFile(PackageResources.playlist_js, script),
    ]
}
