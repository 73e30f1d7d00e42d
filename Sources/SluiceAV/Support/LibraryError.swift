internal import CFFmpeg
internal import CMediaShim
import Glibc
import SluiceCore

/// Helpers around the return codes of the libraries.
enum LibraryError {
    /// The library's own text for `code`.
    static func text(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress else { return "error \(code)" }
            shim_error_text(code, base, buffer.count)
            return String(cString: base)
        }
    }

    /// A failure that says what was tried and what the library answered.
    static func failure(
        _ code: Int32, _ action: String, otherwise fallback: NodeFailure.Code = .malformedInput
    ) -> NodeFailure {
        let kind: NodeFailure.Code =
            switch code {
            case shim_averror(ENOMEM): .exhausted
            case shim_averror_exit: .cancelled
            case shim_averror_patch_welcome, shim_averror(ENOSYS), shim_averror_decoder_not_found,
                shim_averror_encoder_not_found, shim_averror_filter_not_found:
                .unsupported
            default: fallback
            }
        return NodeFailure(kind, "\(action): \(text(code))")
    }

    /// Ends the process as Swift's own allocator does: nothing can be freed on behalf of a 200-byte request.
    static func outOfMemory() -> Never { preconditionFailure("out of memory") }
}

extension Timebase {
    /// The library's fraction, or nil where a part is not positive.
    init?(_ rational: AVRational) { self.init(rational.num, rational.den) }
    var rational: AVRational { shim_rational(numerator, denominator) }
}
