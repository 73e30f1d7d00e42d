import SluiceTransport
import Testing

@Suite struct LocatorNameTests {
    @Test(arguments: [
        ("/films/a.b/title.thd", "title.thd"), ("title.mkv", "title.mkv"), ("/films/", ""),
        ("file:///films/a%20b.mkv", "a b.mkv"), ("https://host/x/y.ts?token=a/b.c#z", "y.ts"), ("http://host", ""),
    ])
    func nameIsTheLastComponentOfThePath(locator: String, name: String) throws {
        #expect(try SourceLocator(locator).fileName == name)
    }
}
