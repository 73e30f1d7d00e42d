public import SluiceCore

/// What an RPU is turned into. Pictures are never touched: a conversion is right only for the base layer it names.
///
/// - Note: the conversions of dovi_tool, whose modes are given.
public enum DolbyVisionConversion: String, Sendable, Hashable, CaseIterable {
    /// Nothing is changed (mode 0).
    case lossless
    /// Profile 7 with a minimal enhancement layer, from 7 and 8 (mode 1).
    case minimalEnhancement
    /// Profile 8.1, from 7 and 8 (mode 2). The curves of a full enhancement layer go with it: they lead to a
    /// picture that is not complete without it. Profile 8 is not changed, except where it speaks of a second layer.
    case profile81
    /// Profile 8.1, from 7 and 8, with the curves as they are.
    case profile81WithCurves
    /// Profile 8.1, from 5 (mode 3): for a base layer that was made anew, since that of profile 5 is no YCbCr.
    case profile81FromProfile5
    /// Profile 8.4 with the curves of the common HLG encoders, from any profile (mode 4): for an HLG base layer.
    case profile84
}

extension DolbyVisionRPU {
    /// The RPU turned into another profile.
    ///
    /// Throws `.unsupported` where the conversion does not start from the RPU's profile, or where its base layer
    /// has other than 10 bits.
    public func converted(to conversion: DolbyVisionConversion) throws(NodeFailure) -> DolbyVisionRPU {
        switch (conversion, profile) {
        case (.lossless, _): return self
        case (.profile81, .profile8):
            // A picture of profile 7 whose residual is switched off looks like 8, but speaks of a second layer.
            return header.hasEnhancementFilter ? try singleLayer(conversion, hasIdentity: false) : self
        case (.minimalEnhancement, .profile7), (.minimalEnhancement, .profile8): return try minimalEnhancement()
        case (.profile81, .profile7(let enhancement)):
            return try singleLayer(conversion, hasIdentity: enhancement == .full)
        case (.profile81WithCurves, .profile7), (.profile81WithCurves, .profile8):
            return try singleLayer(conversion, hasIdentity: false)
        case (.profile81FromProfile5, .profile5): return try singleLayer(conversion, hasIdentity: true)
        case (.profile84, .profile4), (.profile84, .profile5), (.profile84, .profile7), (.profile84, .profile8):
            return try hybridLogGamma()
        default: throw refusal(conversion)
        }
    }

    /// A NAL unit of type 62 (AVC: 28) turned into another profile; its own bytes where nothing changes.
    ///
    /// - Parameter unit: from the NAL header on, without start code or length.
    ///
    /// Throws as ``init(unit:)`` and ``converted(to:)``.
    public static func convert(
        unit: UnsafeRawBufferPointer, to conversion: DolbyVisionConversion
    ) throws(NodeFailure) -> [UInt8] {
        let rpu = try DolbyVisionRPU(unit: unit)
        let converted = try rpu.converted(to: conversion)
        return converted == rpu ? [UInt8](unit) : converted.unit
    }

    /// - Note: the enhancement layer's parameters become neutral; the layer has to be there all the same.
    private func minimalEnhancement() throws(NodeFailure) -> DolbyVisionRPU {
        guard header.outputDepth == 12, header.baseDepth == 10 else { throw refusal(.minimalEnhancement) }
        var rpu = self
        rpu.header.hasEnhancementFilter = true
        rpu.header.isResidualDisabled = false
        if var mapping {
            mapping.residual = .minimal(rpu.header)
            rpu.source = .coded(mapping)
        }
        return rpu
    }

    private func singleLayer(
        _ conversion: DolbyVisionConversion, hasIdentity: Bool
    ) throws(NodeFailure) -> DolbyVisionRPU {
        guard header.baseDepth == 10 else { throw refusal(conversion) }
        var rpu = self
        rpu.header.profile = 1
        rpu.header.isFullRange = false
        rpu.header.hasEnhancementFilter = false
        rpu.header.isResidualDisabled = true
        if var mapping {
            mapping.residual = nil
            mapping.partitions = [0, 0]
            if hasIdentity { mapping.curves = RPUMapping.identityCurves(rpu.header) }
            rpu.source = .coded(mapping)
        }
        rpu.display?.signal?.setCompatible()
        return rpu
    }

    private func hybridLogGamma() throws(NodeFailure) -> DolbyVisionRPU {
        // A head of its own would say that what was left out is there.
        guard header.compression == 0 else { throw refusal(.profile84) }
        var rpu = try singleLayer(.profile84, hasIdentity: false)
        rpu.header = .profile8
        rpu.source = .coded(.hybridLogGamma)
        return rpu
    }

    private func refusal(_ conversion: DolbyVisionConversion) -> NodeFailure {
        let found = profile.map { "profile \($0)" } ?? "no known profile"
        let sources =
            switch conversion {
            case .lossless: "any"
            case .minimalEnhancement, .profile81, .profile81WithCurves: "profile 7 or 8"
            case .profile81FromProfile5: "profile 5"
            case .profile84: "profile 4, 5, 7 or 8"
            }
        return NodeFailure(
            .unsupported,
            "RPU of \(found), \(header.baseDepth) to \(header.outputDepth) bits, compression \(header.compression): "
                + "\(conversion.rawValue) starts from \(sources), 10 to 12 bits")
    }
}
