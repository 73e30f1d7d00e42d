import Glibc
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

exit(CommandLineMain.run(registry))
