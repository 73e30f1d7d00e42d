import Glibc
import SluiceCore
import SluiceDataflow
import SluiceGraph

/// `/metrics`: the numbers of the whole engine.
struct MetricsReport {
    private let engine: Engine
    private let titles: [Title]

    init(_ engine: Engine) async {
        self.engine = engine
        titles = await engine.openTitles()
    }

    var text: String {
        var metrics = MetricsText()
        addEngine(&metrics)
        addStore(&metrics)
        addRequests(&metrics)
        metrics.add(engine.beacons.numbers)
        addGraphs(&metrics)
        addProcess(&metrics)
        for source in engine.metricSources.withLock({ $0 }) { source(&metrics) }
        return metrics.text
    }

    private func addEngine(_ metrics: inout MetricsText) {
        metrics.add("sluice_titles_open", .gauge, "Titles that are open.", Double(titles.count))
        metrics.add("sluice_producers", .gauge, "Graphs that run.", Double(engine.budget.used))
        metrics.add("sluice_producers_limit", .gauge, "Graphs that may run.", Double(engine.budget.limit))
        metrics.add("sluice_bridges", .gauge, "Graphs that encode sound.", Double(engine.bridgeBudget.used))
        metrics.add("sluice_bridges_limit", .gauge, "Graphs that may.", Double(engine.bridgeBudget.limit))
        let waits = titles.reduce(0) { $0 + $1.tables.reduce(0) { $0 + $1.table.waiting } }
        metrics.add("sluice_waits", .gauge, "Requests that wait for a segment.", Double(waits))
        metrics.add("sluice_viewers", .gauge, "Viewers of the last 30 seconds.", Double(engine.viewers.current().count))
    }

    private func addStore(_ metrics: inout MetricsText) {
        let (store, counts) = (engine.store, engine.store.counts)
        for (tier, used) in [("ram", Double(store.bytes)), ("disk", Double(store.diskBytes))] {
            metrics.add("sluice_store_bytes", .gauge, "Finished segments.", labels: [("tier", tier)], used)
        }
        for (tier, limit) in [("ram", Double(store.budget)), ("disk", Double(store.diskBudget))] {
            metrics.add("sluice_store_limit_bytes", .gauge, "Room for segments.", labels: [("tier", tier)], limit)
        }
        for (result, count) in [("ram", counts.hits), ("disk", counts.diskHits), ("miss", counts.misses)] {
            metrics.add(
                "sluice_store_requests_total", .counter, "Segments looked for, by where they were.",
                labels: [("result", result)], Double(count))
        }
        metrics.add(
            "sluice_store_disk_failures_total", .counter, "Segments that could not be written.",
            Double(store.disk?.failures ?? 0))
    }

    private func addRequests(_ metrics: inout MetricsText) {
        for (status, count) in engine.requests.statuses {
            metrics.add(
                "sluice_requests_total", .counter, "Requests answered by the origin.",
                labels: [("status", "\(status)")], Double(count))
        }
        metrics.add(
            "sluice_response_bytes_total", .counter, "Bytes of bodies, ranges counted whole.",
            Double(engine.requests.bytes))
    }

    private func addGraphs(_ metrics: inout MetricsText) {
        let graphs = titles.flatMap { title in
            title.tables.flatMap { rendition, table in
                table.statuses.compactMap { producer in
                    let name = rendition.map { "\($0)/\(producer.id)" } ?? "\(producer.id)"
                    return producer.snapshot.map { (labels: [("title", title.name), ("producer", name)], $0) }
                }
            }
        }
        let nodes = graphs.flatMap { labels, graph in graph.nodes.map { (labels + [("node", $0.name)], $0.numbers) } }
        for (labels, numbers) in nodes {
            metrics.add(
                "sluice_node_items_total", .counter, "Items a node sent, or took where it sends none.",
                labels: labels, Double(numbers.itemsOut > 0 ? numbers.itemsOut : numbers.itemsIn))
        }
        for (labels, numbers) in nodes {
            metrics.add(
                "sluice_node_busy_seconds_total", .counter, "Time a node did not wait.", labels: labels,
                Double(numbers.busy) / 1e9)
        }
        for (labels, numbers) in nodes {
            metrics.add(
                "sluice_node_errors_total", .counter, "Errors a node survived.", labels: labels,
                Double(numbers.errors))
        }
        for (labels, numbers) in nodes {
            for (family, count) in numbers.repairs.sorted(by: { $0.key < $1.key }) {
                metrics.add(
                    "sluice_node_repairs_total", .counter, "What a node has mended.",
                    labels: labels + [("family", family)], Double(count))
            }
        }
        for (labels, graph) in graphs {
            for link in graph.links {
                metrics.add(
                    "sluice_link_queued_bytes", .gauge, "Bytes that lie in a link.",
                    labels: labels + [("link", "\(link.from)-\(link.to)")], Double(link.level.bytes))
            }
        }
    }

    private func addProcess(_ metrics: inout MetricsText) {
        if let pages = Self.residentPages {
            metrics.add(
                "process_resident_memory_bytes", .gauge, "Resident memory.",
                Double(pages) * Double(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let count = Self.openDescriptors {
            metrics.add("process_open_fds", .gauge, "Open descriptors.", Double(count))
        }
    }

    private static var residentPages: Int? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) : nil
    }

    private static var openDescriptors: Int? {
        guard let list = opendir("/proc/self/fd") else { return nil }
        defer { closedir(list) }
        var count = 0
        while readdir(list) != nil { count += 1 }
        // `.`, `..` and the listing's own.
        return max(0, count - 3)
    }
}
