import Glibc
import SluiceCommand

let registry = CommandRegistry(
    program: "sluice",
    summary: "Streams media files, URLs and live playlists to HLS players from graph files.",
    commands: [
        PlanCommand.self,
        HelpCommand.self,
        VersionCommand.self,
    ])

exit(CommandLineMain.run(registry))
