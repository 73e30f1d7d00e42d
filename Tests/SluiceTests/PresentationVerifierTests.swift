import SluiceServer
import Testing

@testable import Sluice

struct PresentationVerifierTests {
    /// What a playlist refers to is seen from where it was found, not from where it was asked for.
    @Test func followsARedirectToThePresentationItLeadsTo() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 20)
        let engine = try folder.engine()
        var options = ServerOptions()
        options.port = 0
        let server = try MicrohttpdServer(options: options, responder: Origin(engine: engine))
        let title = "http://127.0.0.1:\(server.port)/v1/\(folder.root)/film.mkv/"

        let (asked, own, pictures) = try await onThread {
            (
                try PresentationVerifier().verify(title + "~/master.m3u8?shape=muxed"),
                try PresentationVerifier().verify(title + "~shape=muxed/master.m3u8"),
                try PresentationVerifier().verify(title + "~/master.m3u8")
            )
        }

        #expect(asked.findings.isEmpty && own.findings.isEmpty && pictures.findings.isEmpty)
        #expect(asked.frames == own.frames)
        #expect((asked.playlists, pictures.playlists) == (1, 2))
        // Twenty seconds of pictures, and as much sound.
        #expect(asked.frames > 500 + 800)
        await server.stop()
        await engine.stop()
    }
}
