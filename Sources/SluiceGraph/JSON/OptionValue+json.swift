public import SluiceDataflow

extension OptionValue {
    /// The value as graph files write it.
    public var json: JSONValue {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .duration, .byteSize: .string(description)
        case .stringList(let values): .array(values.map { .string($0) })
        }
    }
}
