internal import CMediaShim

/// The memory of the process as the C library keeps it.
public enum HeapMemory {
    /// Returns what is free to the system; takes some milliseconds after a busy time.
    public static func trim() { sluice_trim_memory() }
}
