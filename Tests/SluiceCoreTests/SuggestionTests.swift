import SluiceCore
import Testing

@Suite struct SuggestionTests {
    /// One edit is allowed in names of up to five letters: a swap of neighbours is one, counted by hand.
    @Test(arguments: [
        ("mxuer", "muxer"), ("muxre", "muxer"), ("umxer", "muxer"),  // swaps: two edits without them
        ("muxr", "muxer"), ("muxxer", "muxer"), ("mixer", "muxer"),  // missing, too many, wrong
        ("tee", "tee"), ("ete", "tee"),
    ])
    func oneEditIsNear(written: String, meant: String) {
        #expect(Suggestion.nearest(to: written, among: ["reader", "muxer", "tee"]) == meant)
    }

    /// Six letters allow two edits: two swaps, or a swap and a letter; three are too many.
    @Test(
        arguments: [
            ("erpair", "repair"), ("erapir", "repair"), ("erpai", nil), ("erpiar", "repair"), ("eraprx", nil),
        ] as [(String, String?)])
    func longerNamesAllowMore(written: String, meant: String?) {
        #expect(Suggestion.nearest(to: written, among: ["repair"]) == meant)
    }

    @Test func theNearestWinsThenTheAlphabet() {
        #expect(Suggestion.nearest(to: "cutetr", among: ["cutters", "cutter"]) == "cutter")
        #expect(Suggestion.nearest(to: "bc", among: ["bd", "bb", "cb"]) == "bb")
        #expect(Suggestion.nearest(to: "", among: ["a"]) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 65), among: ["a"]) == nil)
    }
}
