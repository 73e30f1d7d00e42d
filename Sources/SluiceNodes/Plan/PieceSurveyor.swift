import SluiceAV
import SluiceBitstream
import SluiceCore

/// Surveys a transport stream piece by piece, where other streams take over from those that are served. Blocks.
struct PieceSurveyor {
    private static let block = 1 << 20

    let source: any ByteSource
    let hint: String?
    let capabilities: ClientCapabilities
    var progress: (Int64) -> Void = { _ in }

    /// - Parameters:
    ///   - streams: as a reader of the whole source found them.
    ///   - selection: what the title serves of them; what does not belong to the first piece is left out.
    /// - Returns: nil where nothing takes over.
    /// - Throws: the source's failure; `.unsupported` where pictures take over that cannot be copied.
    func survey(
        _ streams: [StreamFormat], selection: StreamSelection, identity: String?
    ) throws(NodeFailure) -> SourceSurvey? {
        guard let video = streams.first(where: { $0.id == selection.video })?.containerNumber, source.isSeekable else {
            return nil
        }
        let sounds = selection.audio.compactMap { id in streams.first { $0.id == id }?.containerNumber }
        let joints = PieceRule.joints(try changes(), served: [video] + sounds)
        guard !joints.isEmpty else { return nil }
        guard joints.count < PieceRule.limit else {
            throw NodeFailure(
                .limitExceeded, "the streams change \(joints.count) times; expected less than \(PieceRule.limit)")
        }
        var survey: SourceSurvey?
        var ordinal: UInt32 = 0
        for number in 0...joints.count {
            let joint = number > 0 ? joints[number - 1] : PieceRule.Joint(tables: 0, start: 0)
            let end = number < joints.count ? joints[number].start : nil
            var piece = SourcePiece(tables: joint.tables, start: joint.start, end: end, streams: [:])
            var reader: FormatReader
            do throws(NodeFailure) {
                reader = try FormatReader(source: piece.stretch(of: source), hint: hint)
            } catch {
                // Tables without media behind them.
                guard [.notMedia, .malformedInput].contains(error.code), number > 0 else { throw error }
                continue
            }
            let own: StreamSelection
            if let survey {
                own = try successors(of: survey, reader.streams, &piece)
            } else {
                own = opening(reader.streams, video, sounds, &piece)
            }
            guard own.video != nil else {
                guard number > 0 else { return nil }
                continue
            }
            let found = try scan(&reader, own, piece, &ordinal)
            guard !found.points.isEmpty else {
                guard number > 0 else { return nil }
                continue
            }
            if var whole = survey {
                try PieceMerger.append(found, piece, to: &whole)
                survey = whole
            } else {
                survey = PieceMerger.first(found, piece)
            }
        }
        guard var survey, survey.pieces.count > 1 else { return nil }
        survey.identity = identity
        return survey
    }

    // MARK: - Private

    private func changes() throws(NodeFailure) -> [TransportTables.Change] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 16)
        defer { buffer.deallocate() }
        var (position, held) = (Int64(0), 0)
        var tables: TransportTables?
        while true {
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[held...]), at: position &+ Int64(held))
            guard count > 0 else { return tables?.changes ?? [] }
            held += count
            let block = UnsafeRawBufferPointer(rebasing: buffer[..<held])
            if tables == nil {
                guard let made = TransportTables(head: block) else { return [] }
                tables = made
            }
            // What is not a packet is passed over, so that the buffer never stays full.
            let taken = tables?.take(block, at: position) ?? 0
            guard taken > 0 || held < buffer.count else { return tables?.changes ?? [] }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[taken..<held]))
            held -= taken
            position &+= Int64(taken)
        }
    }

    /// The streams of the first piece keep their names, those that are not served, too.
    private func opening(
        _ streams: [StreamFormat], _ video: Int, _ sounds: [Int], _ piece: inout SourcePiece
    ) -> StreamSelection {
        for format in streams { piece.streams[format.containerNumber] = format.id }
        return StreamSelection(
            video: piece.streams[video], audio: sounds.compactMap { piece.streams[$0] })
    }

    private func successors(
        of survey: SourceSurvey, _ streams: [StreamFormat], _ piece: inout SourcePiece
    ) throws(NodeFailure) -> StreamSelection {
        let route = RoutePolicy.route(streams, capabilities: capabilities)
        guard let picture = route.video, let head = survey.selection.video else {
            return StreamSelection(video: nil, audio: [])
        }
        guard picture.means == .copy else {
            throw NodeFailure(
                .unsupported, "from byte \(piece.start) on other pictures take over: \(picture.reason)")
        }
        func formats(_ ids: [StreamID], _ streams: [StreamFormat]) -> [StreamFormat] {
            ids.compactMap { id in streams.first { $0.id == id } }
        }
        var names = PieceRule.pairs(
            formats(survey.selection.audio, survey.streams), formats(route.copied.audio, streams))
        names[picture.stream] = head
        for format in streams {
            guard let name = names[format.id] else { continue }
            piece.streams[format.containerNumber] = name
            var format = format
            format.id = name
            piece.formats.append(format)
        }
        return StreamSelection(
            video: picture.stream, audio: route.copied.audio.filter { names[$0] != nil })
    }

    private func scan(
        _ reader: inout FormatReader, _ selection: StreamSelection, _ piece: SourcePiece, _ ordinal: inout UInt32
    ) throws(NodeFailure) -> SourceSurvey {
        reader.select(Set([selection.video].compactMap(\.self) + selection.audio))
        var state = ScanState(reader.streams, reader.formatName, selection)
        var position = piece.start
        while var packet = try reader.readPacket() {
            if let place = packet.filePosition { position = piece.tables &+ place }
            packet.setFilePosition(max(position, piece.start))
            try ScanSurveyor.add(packet, to: &state, &ordinal, progress)
        }
        return try state.finished()
    }
}
