/// How a value between two ticks is placed on a coarser clock.
public enum RescaleRounding: Sendable, Hashable {
    /// To the nearest tick; halves go away from zero.
    case nearest
    /// Toward negative infinity.
    case down
    /// Toward positive infinity.
    case up
}

extension Int64 {
    /// `self × numerator / denominator` in 128-bit arithmetic; saturates instead of overflowing.
    ///
    /// `denominator` is positive; zero or below gives 0.
    public func scaled(by numerator: Int64, over denominator: Int64, rounding: RescaleRounding = .nearest) -> Int64 {
        guard denominator > 0 else { return 0 }
        let product = multipliedFullWidth(by: numerator)
        let wide = Int128(product.high) << 64 | Int128(product.low)
        let divisor = Int128(denominator)
        var (quotient, remainder) = wide.quotientAndRemainder(dividingBy: divisor)
        switch rounding {
        case .down: if remainder < 0 { quotient -= 1 }
        case .up: if remainder > 0 { quotient += 1 }
        case .nearest:
            if remainder < 0 { remainder = -remainder }
            if remainder * 2 >= divisor { quotient += wide < 0 ? -1 : 1 }
        }
        return Int64(clamping: quotient)
    }

    /// Ticks of `source` expressed in ticks of `target`; saturates.
    public func rescaled(
        from source: Timebase, to target: Timebase, rounding: RescaleRounding = .nearest
    ) -> Int64 {
        if source == target { return self }
        let up = Int64(source.numerator) * Int64(target.denominator)
        let down = Int64(source.denominator) * Int64(target.numerator)
        return scaled(by: up, over: down, rounding: rounding)
    }
}
