internal import CCurl
internal import CMediaShim
internal import Glibc
import SluiceCore

/// One easy handle with everything its callbacks touch. Lives on the network thread only.
final class CurlTransfer {
    /// What another thread hands over to begin a transfer.
    struct Order {
        let id: TransferID
        let request: TransferRequest
        weak var receiver: (any TransferReceiver)?
    }

    let id: TransferID
    let request: TransferRequest
    weak var receiver: (any TransferReceiver)?
    let origin: String
    /// When it was handed over, and when it may begin.
    let queuedAt: ContinuousClock.Instant
    let notBefore: ContinuousClock.Instant

    private(set) var easy: UnsafeMutableRawPointer?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let clock: any TimeSource

    private(set) var head = ResponseHead()
    private(set) var lastByte: ContinuousClock.Instant
    private(set) var pausedSince: ContinuousClock.Instant?
    private(set) var mayPark = false
    /// Why the transfer ends, when it is not libcurl's result that says so.
    var verdict: TransferEnd?

    init(_ order: Order, clock: any TimeSource) {
        id = order.id
        request = order.request
        receiver = order.receiver
        origin = order.request.url.origin
        self.clock = clock
        queuedAt = clock.now
        notBefore = queuedAt + order.request.delay
        lastByte = queuedAt
    }

    deinit {
        if let easy { curl_easy_cleanup(easy) }
        curl_slist_free_all(headers)
    }

    /// The handle ready to run, or nil when libcurl cannot make one.
    func prepare() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        lastByte = clock.now
        let milliseconds = max(1, Int(request.connectTimeout.nanoseconds / 1_000_000))
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_SSLVERSION, 6 /* TLS 1.2 or later */),
            // Over HTTP/2 a paused body would hold up the other transfers of its connection.
            (CURLOPT_HTTP_VERSION, 2 /* HTTP/1.1 */), (CURLOPT_BUFFERSIZE, Self.chunk), (CURLOPT_HTTPGET, 1),
            (CURLOPT_TCP_KEEPALIVE, 1),
        ]
        for (option, value) in numbers { sluice_curl_set_long(easy, option, value) }
        // A proxy would be what the address policy sees; the environment does not choose one for a server.
        sluice_curl_set_string(easy, CURLOPT_PROXY, "")
        sluice_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        sluice_curl_set_string(easy, CURLOPT_USERAGENT, request.userAgent)
        if let file = request.certificateAuthorities { sluice_curl_set_string(easy, CURLOPT_CAINFO, file) }
        guard sluice_curl_set_string(easy, CURLOPT_URL, request.url.absolute) == CURLE_OK else { return nil }

        for field in requestFields() {
            // curl drops a header written with `:` and no value; `;` is its way to send it empty.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            guard let longer = curl_slist_append(headers, line) else { return nil }
            headers = longer
        }
        sluice_curl_set_headers(easy, headers)

        let user = Unmanaged.passUnretained(self).toOpaque()
        sluice_curl_set_private(easy, user)
        sluice_curl_set_write(easy, curlReceivedBody, user)
        sluice_curl_set_header(easy, curlReceivedHeader, user)
        sluice_curl_set_open_socket(easy, curlOpensSocket, user)
        sluice_curl_set_prerequest(easy, curlIsAboutToAsk, user)
        return easy
    }

    func unpause() -> CURLcode {
        guard let easy, pausedSince != nil else { return CURLE_OK }
        pausedSince = nil
        lastByte = clock.now
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Largest delivery at once; the window exceeds its high water by no more.
    static let chunk = 64 << 10

    /// The caller's fields without those this side owns, then ours.
    private func requestFields() -> [HeaderField] {
        let owned: Set = ["range", "if-range", "accept-encoding", "connection", "transfer-encoding", "content-length"]
        var fields = request.headers.filter { !owned.contains($0.name.lowercased()) }
        // A coded body has no usable offsets.
        fields.append(HeaderField("Accept-Encoding", "identity"))
        if let start = request.rangeStart { fields.append(HeaderField("Range", RangeHeader.value(from: start))) }
        if let tag = request.ifRange { fields.append(HeaderField("If-Range", tag)) }
        return fields
    }

    // MARK: Callbacks

    fileprivate func received(header line: UnsafeRawBufferPointer) -> Int {
        lastByte = clock.now
        switch head.append(line) {
        case .more: return line.count
        case .tooLarge:
            verdict = .failed(.headTooLarge)
            return 0
        case .complete:
            switch receiver?.transfer(id, answered: head) {
            case .accept(let mayPark):
                self.mayPark = mayPark
                return line.count
            case .stop, nil:
                verdict = .stopped
                return 0
            }
        }
    }

    fileprivate func received(body bytes: UnsafeRawBufferPointer) -> Int {
        lastByte = clock.now
        switch receiver?.transfer(id, received: bytes) {
        case .more: return bytes.count
        case .pause:
            pausedSince = lastByte
            return sluice_curl_write_pause()
        case .stop, nil:
            verdict = .stopped
            // Zero could be the length of what was offered, and would then mean "taken".
            return bytes.isEmpty ? 1 : 0
        }
    }

    fileprivate func permits(_ address: NetworkAddress) -> Bool {
        guard request.addressPolicy.permits(address.unmapped) else {
            verdict = .failed(.addressRefused("\(address)"))
            return false
        }
        return true
    }
}

private func transfer(_ user: UnsafeMutableRawPointer?) -> CurlTransfer? {
    user.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func curlReceivedBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(user) else { return 0 }
    return transfer.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func curlReceivedHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(user) else { return 0 }
    return transfer.received(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func curlOpensSocket(
    _ user: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = transfer(user), let address, let target = networkAddress(address), transfer.permits(target)
    else { return sluice_curl_socket_bad() }
    let info = address.pointee
    return socket(info.family, info.socktype | Int32(SOCK_CLOEXEC.rawValue), info.protocol)
}

/// Asked for reused connections too, which another source with a laxer policy may have opened.
private func curlIsAboutToAsk(
    _ user: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = transfer(user), let remote,
        let address = NetworkAddress(text: String(cString: remote), port: Int(remotePort)), transfer.permits(address)
    else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
}

private func networkAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> NetworkAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let raw = UnsafeRawPointer(address) + offset
    switch address.pointee.family {
    case AF_INET:
        let value = raw.loadUnaligned(as: sockaddr_in.self)
        return NetworkAddress(
            bytes: withUnsafeBytes(of: value.sin_addr) { Array($0) }, port: Int(UInt16(bigEndian: value.sin_port)))
    case AF_INET6:
        let value = raw.loadUnaligned(as: sockaddr_in6.self)
        return NetworkAddress(
            bytes: withUnsafeBytes(of: value.sin6_addr) { Array($0) }, port: Int(UInt16(bigEndian: value.sin6_port)))
    default: return nil
    }
}
