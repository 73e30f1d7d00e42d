internal import CFFmpeg
internal import CMediaShim
import SluiceCore

/// Completes the times of one stream's frames as libavformat does where no parser looks into them: a frame that its
/// container stamps and sizes incompletely gets the same times whoever reads it.
struct PacketStamper {
    /// What the codec means for decode times.
    private enum Order {
        /// Presented as decoded: the two times are one, and gaps are counted on.
        case asDecoded
        /// Reordered; the presentation time is given for both.
        case presentation
        /// Reordered; nothing is said of decoding.
        case open
    }

    struct Times: Equatable {
        var presentation: Int64?
        var decode: Int64?
        var duration: Int64
    }

    private let order: Order
    private let timebase: AVRational
    /// Of a picture that says no duration, in ticks and in seconds; nil for sound.
    private let picture: (ticks: Int64, seconds: AVRational)?
    private let parameters: UnsafeMutablePointer<AVCodecParameters>?
    /// When a frame without a time is presented.
    private var expected: Int64?

    /// The stream must outlive this value.
    init(_ stream: UnsafeMutablePointer<AVStream>, codec: CodecName, isPicture: Bool) {
        switch codec {
        case "h264": order = .open
        case "hevc": order = .presentation
        default: order = .asDecoded
        }
        timebase = stream.pointee.time_base
        parameters = stream.pointee.codecpar
        picture = isPicture ? Self.pictureLength(stream.pointee) : nil
    }

    private static func pictureLength(_ stream: AVStream) -> (ticks: Int64, seconds: AVRational) {
        let timebase = stream.time_base
        let rate = stream.r_frame_rate
        let seconds: AVRational
        if rate.num != 0 {
            seconds = AVRational(num: rate.den, den: rate.num)
        } else if Int64(timebase.num) * 1_000 > Int64(timebase.den) {
            seconds = timebase
        } else {
            return (0, AVRational(num: 0, den: 1))
        }
        return ticks(of: seconds, timebase).map { ($0, seconds) } ?? (0, AVRational(num: 0, den: 1))
    }

    /// Nil where it lasts nothing.
    private static func ticks(of seconds: AVRational, _ timebase: AVRational) -> Int64? {
        guard seconds.num > 0, seconds.den > 0 else { return nil }
        return av_rescale_rnd(
            1, Int64(seconds.num) * Int64(timebase.den), Int64(seconds.den) * Int64(timebase.num), AV_ROUND_DOWN)
    }

    /// - Parameters:
    ///   - presentation: as the container says; nil where it does not.
    ///   - duration: in ticks; 0 where the container does not say.
    mutating func times(presentation: Int64?, duration declared: Int64, byteCount: Int) -> Times {
        var duration = declared
        var seconds = av_mul_q(
            AVRational(num: Int32(truncatingIfNeeded: declared), den: 1), timebase)
        if declared <= 0 {
            if let picture {
                (duration, seconds) = picture
            } else if let found = soundLength(byteCount), let ticks = Self.ticks(of: found, timebase) {
                (duration, seconds) = (ticks, found)
            }
        }
        switch order {
        case .open: return Times(presentation: presentation, decode: nil, duration: duration)
        case .presentation: return Times(presentation: presentation, decode: presentation, duration: duration)
        case .asDecoded:
            guard presentation != nil || duration > 0, let time = presentation ?? expected else {
                return Times(presentation: nil, decode: nil, duration: duration)
            }
            if seconds.num >= 0 { expected = av_add_stable(timebase, time, seconds, 1) }
            return Times(presentation: time, decode: time, duration: duration)
        }
    }

    private func soundLength(_ byteCount: Int) -> AVRational? {
        guard let parameters else { return nil }
        let samples = av_get_audio_frame_duration2(parameters, Int32(clamping: byteCount))
        let rate = parameters.pointee.sample_rate
        return samples > 0 && rate > 0 ? AVRational(num: samples, den: rate) : nil
    }
}
