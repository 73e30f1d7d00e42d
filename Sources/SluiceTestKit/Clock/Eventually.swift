/// Looks at `condition` again and again until it holds; false when it did not within `limit` of real time.
///
/// For states that no event announces. Other tasks run between two looks.
public func eventually(within limit: Duration = .seconds(10), _ condition: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    var looks = 0
    while true {
        if await condition() { return true }
        if ContinuousClock.now >= end { return false }
        looks += 1
        if looks < 64 {
            await Task.yield()
        } else {
            // A look every millisecond, so that a loaded machine is not burdened further.
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return await condition() }
        }
    }
}
