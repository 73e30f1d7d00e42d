try await embedHost(CommandLine.arguments)
