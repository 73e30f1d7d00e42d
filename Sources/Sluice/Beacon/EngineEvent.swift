/// Something about a title or its viewers that a host may want to know when it happens.
public enum EngineEvent: Sendable, Hashable {
    /// A title was opened, and its pictures are proven to carry metadata of their own: `hdr10plus`, `hdrvivid`
    /// or `dv`.
    case dynamicMetadata(title: String, kinds: [String])
    /// A viewer's player refused what it was offered and is led to less: `plain` or `media`.
    case fallback(title: String, viewer: String, tier: String, code: String)
}
