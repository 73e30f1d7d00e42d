/// What must hold for any bytes at all, one property a parser.
///
/// The fuzz targets look for bytes that break it, and `swift test` replays every file of `Fixtures/corpus/<name>/`.
public enum FuzzProperty: String, CaseIterable, Sendable {
    case json, graph, playlist, boxes, writer, parameters, nal, obu, audio, request, rpu, metadata, matroska, text

    /// What `bytes` broke; nil where the property holds. Traps and endless loops count as broken too.
    public func violation(_ bytes: [UInt8]) -> String? {
        switch self {
        case .json: JSONProperty.violation(bytes)
        case .graph: GraphProperty.violation(bytes)
        case .playlist: PlaylistProperty.violation(bytes)
        case .boxes: BoxProperty.violation(bytes)
        case .writer: WriterProperty.violation(bytes)
        case .parameters: ParameterProperty.violation(bytes)
        case .nal: UnitProperty.violation(bytes)
        case .obu: OpenUnitProperty.violation(bytes)
        case .audio: AudioProperty.violation(bytes)
        case .request: RequestProperty.violation(bytes)
        case .rpu: RPUProperty.violation(bytes)
        case .metadata: MetadataProperty.violation(bytes)
        case .matroska: MatroskaProperty.violation(bytes)
        case .text: TextProperty.violation(bytes)
        }
    }

    /// The body of a fuzz target: ends the process at a violation, so that the fuzzer keeps the input.
    public func check(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        if let violation = violation(bytes) { preconditionFailure("\(rawValue): \(violation)") }
    }
}
