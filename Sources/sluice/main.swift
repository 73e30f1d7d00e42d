import Glibc
import SluiceAV
import SluiceCommand

let registry = CommandRegistry(
    program: "sluice",
    summary: "Serves media files and URLs to HLS players, as graph files say.",
    commands: [
        ProbeCommand.self,
        PacketsCommand.self,
        DoviCommand.self,
        AudioCommand.self,
        SubtitlesCommand.self,
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

ProcessMemory.shareOnePool()
// Lines of the libraries without a title or a level help nobody; `serve` installs its logger.
LogBridge.silence()
exit(CommandLineMain.run(registry))
