/// What the process tells its caller.
public enum ExitCode: Int32, Sendable {
    case ok = 0
    /// The work failed, or a verification found something.
    case failed = 1
    /// The command line could not be understood.
    case usage = 2
    /// The graph file is not valid.
    case invalidGraph = 3
}
