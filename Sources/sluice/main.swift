import Glibc
import SluiceAV
import SluiceCommand

let registry = CommandRegistry(
    program: "sluice",
    summary: "Streams media files, URLs and live playlists to HLS players from graph files.",
    commands: [
        ProbeCommand.self,
        PacketsCommand.self,
        PlanCommand.self,
        PackageCommand.self,
        VerifyCommand.self,
        RunCommand.self,
        GraphValidateCommand.self,
        GraphDescribeCommand.self,
        GraphSelectCommand.self,
        GraphNodesCommand.self,
        GraphSchemaCommand.self,
        BenchCommand.self,
        HelpCommand.self,
        ServeCommand.self,
        VersionCommand.self,
    ])

// Lines of the libraries without a title or a level help nobody; `serve` installs its logger.
LogBridge.silence()
exit(CommandLineMain.run(registry))
