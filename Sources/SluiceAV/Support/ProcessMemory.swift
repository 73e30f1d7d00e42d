internal import CMediaShim

/// What a program may do about the memory of its whole process. For programs, not for libraries in them.
public enum ProcessMemory {
    /// Makes all threads of the process allocate from one pool. To be called before the process has a second thread:
    /// glibc counts its pools when a thread asks for the first one, and not again.
    ///
    /// Packets are allocated on one thread and freed on another, and glibc gives every thread a pool of its own: each then
    /// keeps what the others could use. Buffers are large and threads few, so that they hardly wait for each other. Blocks of
    /// 128 KiB and more have pages of their own.
    public static func shareOnePool() { shim_share_malloc_arena() }

    /// Lets go of the pages that the dynamic loader read to bind some two hundred libraries: tables of symbols and
    /// relocations that nobody reads again, about half of what a small program holds. Pages that are used come back.
    ///
    /// - Returns: segments of the program and its libraries that were let go.
    @discardableResult
    public static func releaseLoadedPages() -> Int { Int(shim_release_loaded_pages()) }

    /// Returns free heap memory to the system; takes some milliseconds after a busy time.
    public static func trim() {
        Slab.trim()
        shim_trim_heap()
    }
}
