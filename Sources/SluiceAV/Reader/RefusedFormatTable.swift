/// Demuxers that are never opened, and why.
///
/// Everything here either opens further resources by name, is fed by a device or a socket, or recognises text and
/// pictures that are no title. libavformat's flag for demuxers that open their own input refuses the rest.
enum RefusedFormatTable {
    enum Reason: Sendable, Hashable {
        /// Names other files or addresses that the library would open by itself.
        case references(String)
        /// A device, a socket or a virtual source.
        case device
        /// A single picture or a numbered series of them.
        case picture
        /// Recognised in bytes that are not media.
        case pseudo
    }

    static let reasons: [String: Reason] = {
        var table: [String: Reason] = [
            "hls": .references("HLS playlist"),
            "applehttp": .references("HLS playlist"),
            "dash": .references("DASH manifest"),
            "webm_dash_manifest": .references("DASH manifest"),
            "concat": .references("concat script"),
            "imf": .references("IMF composition playlist"),
            "vobsub": .references("VobSub index"),
            "sdp": .references("SDP session description"),
            "rtsp": .references("RTSP session"),
            "rtp": .references("RTP session"),
            "sap": .references("SAP announcement"),
            "msnwctcp": .references("MSN webcam stream"),
            "smoothstreaming": .references("Smooth Streaming manifest"),
        ]
        for name in [
            "alsa", "avfoundation", "bktr", "decklink", "dshow", "fbdev", "gdigrab", "iec61883", "jack", "kmsgrab",
            "lavfi", "libcdio", "libdc1394", "ndi", "openal", "oss", "pulse", "sndio", "v4l2", "vfwcap",
            "video4linux2,v4l2", "x11grab", "xcbgrab", "mpegtsraw",
        ] {
            table[name] = .device
        }
        for name in [
            "image2", "image2pipe", "alias_pix", "brender_pix", "ico", "photocd_pipe", "fits", "data", "bmp_pipe",
            "cri_pipe", "dds_pipe", "dpx_pipe", "exr_pipe", "gem_pipe", "gif_pipe", "hdr_pipe", "j2k_pipe",
            "jpeg_pipe", "jpegls_pipe", "jpegxl_pipe", "pam_pipe", "pbm_pipe", "pcx_pipe", "pfm_pipe", "pgm_pipe",
            "pgmyuv_pipe", "pgx_pipe", "phm_pipe", "pictor_pipe", "png_pipe", "ppm_pipe", "psd_pipe", "qdraw_pipe",
            "qoi_pipe", "sgi_pipe", "sunrast_pipe", "svg_pipe", "tiff_pipe", "vbn_pipe", "webp_pipe", "xbm_pipe",
            "xpm_pipe", "xwd_pipe",
        ] {
            table[name] = .picture
        }
        for name in ["tty", "bin", "xbin", "adf", "idf", "sbg", "ffmetadata", "cdg", "s337m", "rawvideo", "bitpacked"] {
            table[name] = .pseudo
        }
        return table
    }()
}
