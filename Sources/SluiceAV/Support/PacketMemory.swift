internal import CMediaShim

/// Where packets' memory comes from.
public enum PacketMemory {
    /// Makes all threads of the process allocate from one pool, from now on.
    ///
    /// Packets are allocated on one thread and freed on another, and glibc gives every thread a pool of its own: each then
    /// keeps what the others could use. For programs that run one graph; with many, threads would wait for each other.
    public static func shareOnePool() { shim_share_malloc_arena() }
}
