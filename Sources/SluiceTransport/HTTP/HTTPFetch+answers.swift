import SluiceCore

/// The network thread's side.
extension HTTPFetch {
    mutating func answered(_ id: TransferID, _ head: ResponseHead, receiver: any TransferReceiver) -> HeadVerdict {
        guard isCurrent(id) else { return .stop }
        let offset = window.end
        switch head.status {
        case 206: return accept(partial: head, at: offset, receiver)
        case 200: return accept(whole: head, at: offset, receiver)
        case 416:
            guard let total = head.contentRange?.total, total <= offset || size != nil else { break }
            if let size, total != size {
                fail(NodeFailure(.sourceChanged, "\(url.redacted): has \(total) bytes; it had \(size) when opened"))
                return .stop
            }
            guard total <= offset else { break }
            // Nothing lies at or behind the offset: an empty object, or the end of one of unstated size.
            size = total
            isOpen = true
            phase = .ended
            return .stop
        case let status where RedirectPolicy.isRedirect(status: status):
            follow(head, at: offset, receiver)
            return .stop
        default: break
        }
        refuse(head, receiver)
        return .stop
    }

    mutating func received(_ id: TransferID, _ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        guard isCurrent(id) else { return .stop }
        if window.isFull {
            phase = .paused(id)
            return .pause
        }
        // Bytes beyond what the answer's own header promised belong to nothing.
        let room = answerEnd.map { Int(clamping: max(0, $0 - window.end)) } ?? Int.max
        let count = min(bytes.count, room)
        if count > 0 {
            window.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            receivedBytes &+= Int64(count)
            ladder.delivered(count)
        }
        return count < bytes.count ? .stop : .more
    }

    mutating func ended(_ id: TransferID, _ end: TransferEnd, receiver: any TransferReceiver) {
        guard isCurrent(id) else { return }
        hops = 0
        switch end {
        case .parked: phase = .idle
        case .complete, .stopped:
            guard let answerEnd else {
                if case .complete = end {
                    phase = .ended
                } else {
                    charge(.connection, broken("stopped at \(window.end)"), receiver: receiver)
                }
                return
            }
            guard window.end >= answerEnd else {
                let what = "body ended at \(window.end), \(answerEnd) was promised"
                return charge(.connection, broken(what), receiver: receiver)
            }
            phase = .idle
            demand(receiver)
        case .failed(let fault):
            if let answerEnd, window.end >= answerEnd {
                // Everything promised is here; how the connection died does not matter.
                phase = .idle
                demand(receiver)
                return
            }
            failed(fault, receiver)
        }
    }

    // MARK: Good answers

    private mutating func accept(
        partial head: ResponseHead, at offset: Int64, _ receiver: any TransferReceiver
    ) -> HeadVerdict {
        guard let range = head.contentRange, let bytes = range.bytes else {
            return wrong("206 without a readable Content-Range", receiver)
        }
        guard bytes.lowerBound == offset else {
            return wrong("answers from byte \(bytes.lowerBound), \(offset) was asked for", receiver)
        }
        if let length = head.contentLength, length != bytes.upperBound - bytes.lowerBound {
            // Which bytes such a body holds nobody can tell, and asking again brings the same answer.
            fail(
                NodeFailure(
                    .transport,
                    "\(url.redacted): 206 promises bytes \(bytes.lowerBound)-\(bytes.upperBound - 1) but a body of "
                        + "\(length) bytes; the lengths disagree", httpStatus: 206))
            return .stop
        }
        guard admit(head, total: range.total) else { return .stop }
        takesRanges = true
        answerEnd = bytes.upperBound
        return .accept(mayPark: true)
    }

    private mutating func accept(
        whole head: ResponseHead, at offset: Int64, _ receiver: any TransferReceiver
    ) -> HeadVerdict {
        let length = head.contentLength
        guard offset == 0 else {
            // Taken as the range, this would be silent corruption (behaviours RD-11).
            let now = EntityValidator(head, size: length)
            if let validator, !validator.agrees(with: now) {
                fail(NodeFailure(.sourceChanged, "\(url.redacted): another version than the one opened"))
            } else {
                fail(
                    NodeFailure(
                        .transport, "\(url.redacted): answers 200 from byte 0, a range from \(offset) was asked for",
                        httpStatus: 200))
            }
            return .stop
        }
        guard admit(head, total: length) else { return .stop }
        // An origin that has just refused a range is not believed when it offers them.
        takesRanges = head.acceptsRanges && !asksPlainly
        answerEnd = length
        if length == 0 { size = 0 }
        return .accept(mayPark: isSeekable)
    }

    /// Takes over what the head says of the object; false when it is not the object opened, or not readable.
    private mutating func admit(_ head: ResponseHead, total: Int64?) -> Bool {
        if let coding = head.contentCoding {
            fail(NodeFailure(.unsupported, "\(url.redacted): body coded as '\(coding)'; expected none"))
            return false
        }
        let now = EntityValidator(head, size: total)
        if let validator {
            guard validator.agrees(with: now) else {
                fail(NodeFailure(.sourceChanged, "\(url.redacted): another version than the one opened"))
                return false
            }
        } else {
            validator = now
        }
        if size == nil { size = total }
        if contentType == nil {
            contentType = head.value("content-type").map { trimmed($0.prefix { $0 != ";" }).lowercased() }
        }
        if hops > 0 { pinned = target }
        isOpen = true
        return true
    }

    // MARK: Redirects and refusals

    private mutating func follow(_ head: ResponseHead, at offset: Int64, _ receiver: any TransferReceiver) {
        let policy = RedirectPolicy(hopLimit: options.redirectLimit)
        do throws(NodeFailure) {
            let next = try policy.follow(
                head.value("location"), from: target.url, headers: target.headers, hop: hops)
            guard options.redirectPermission(next.url) else {
                throw NodeFailure(
                    .accessDenied, "\(target.url.redacted): leads to \(next.url.redacted), which is refused")
            }
            target = next
            hops += 1
            start(at: offset, receiver: receiver)
        } catch {
            fail(error)
        }
    }

    private mutating func refuse(_ head: ResponseHead, _ receiver: any TransferReceiver) {
        let status = head.status
        let failure = Self.refusal(status, at: target.url)
        switch status {
        case 401, 403, 404, 410:
            if pinned != nil {
                // A signed target may have expired; the original mints a new one.
                pinned = nil
            } else if window.end == 0, !isOpen {
                asksPlainly = true
            }
        default: break
        }
        charge(.status(status), failure, retryAfter: head.retryAfter, receiver: receiver)
    }

    private mutating func wrong(_ what: String, _ receiver: any TransferReceiver) -> HeadVerdict {
        charge(.wrongAnswer, NodeFailure(.transport, "\(url.redacted): \(what)"), receiver: receiver)
        return .stop
    }

    private mutating func failed(_ fault: TransferFault, _ receiver: any TransferReceiver) {
        let place = "\(target.url.redacted) at byte \(window.end)"
        switch fault {
        case .connection(let text): charge(.connection, broken(text), receiver: receiver)
        case .silence(let time):
            charge(
                .connection, NodeFailure(.timedOut, "\(place): no byte for \(time)", isTransient: true),
                receiver: receiver)
        case .addressRefused(let address):
            fail(NodeFailure(.accessDenied, "\(place): address \(address) is not allowed"))
        case .untrusted(let text): fail(NodeFailure(.transport, "\(place): \(text)"))
        case .headTooLarge:
            let most = "\(ResponseHead.longest) bytes and \(ResponseHead.mostFields) lines"
            fail(NodeFailure(.limitExceeded, "\(place): answer's header is larger than \(most)"))
        case .exhausted(let text): fail(NodeFailure(.exhausted, "\(place): \(text)", isTransient: true))
        }
    }

    private func broken(_ what: String) -> NodeFailure {
        NodeFailure(.transport, "\(target.url.redacted) at byte \(window.end): \(what)", isTransient: true)
    }

    static func refusal(_ status: Int, at url: WebURL) -> NodeFailure {
        let code: NodeFailure.Code =
            switch status {
            case 401, 403, 407, 451: .accessDenied
            case 404, 410: .notFound
            default: .transport
            }
        return NodeFailure(
            code, "\(url.redacted): answered HTTP \(status)",
            isTransient: RetryLadder.isRateLimit(status: status) || status >= 500, httpStatus: status)
    }
}
