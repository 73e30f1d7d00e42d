import SluiceCore
import SluiceDataflow

extension GraphValidator {
    /// Looks up both ends of every link and compares what flows.
    mutating func checkLinks() {
        for declaration in file.links {
            let from = end(declaration.from, .output, "links[\(declaration.index)].from")
            let to = end(declaration.to, .input, "links[\(declaration.index)].to")
            links.append(Resolved(declaration: declaration, from: from, to: to))
            guard let output = from?.port, let input = to?.port, output.payload != input.payload,
                let place = declaration.to, let source = declaration.from
            else { continue }
            report(
                .payloadMismatch, at: place.location, "links[\(declaration.index)].to",
                "'\(source.value)' sends \(output.payload.rawValue), '\(place.value)' takes \(input.payload.rawValue)")
        }
    }

    private mutating func end(
        _ reference: Located<PortReference>?, _ direction: PortDescriptor.Direction, _ path: String
    ) -> End? {
        guard let reference else { return nil }
        let names = reference.value
        guard let node = indexes[names.node] else {
            report(
                .unknownPort, at: reference.location, path, "no node '\(names.node.prefix(80))'",
                hint: Suggestion.nearest(to: names.node, among: file.nodes.map(\.name.value)))
            return nil
        }
        guard let descriptor = descriptors[node] else { return End(node: node) }
        let candidates = direction == .input ? descriptor.inputs : descriptor.outputs
        if let port = candidates.first(where: { $0.name == names.port }) { return End(node: node, port: port) }
        // Fewer follow-up findings: where one port was surely meant, the link counts as one to it.
        let hint = Suggestion.nearest(to: names.port, among: candidates.map(\.name))
        if let other = descriptor.port(names.port) {
            report(
                .wrongDirection, at: reference.location, path,
                "'\(names)' is an \(other.direction.rawValue); a link goes from an output to an input", hint: hint)
        } else {
            report(
                .unknownPort, at: reference.location, path,
                "node '\(names.node)' has no \(direction.rawValue) '\(names.port.prefix(80))'", hint: hint)
        }
        return End(node: node)
    }

    /// Every required port is linked, and none twice.
    mutating func checkPorts() {
        var outputs: [PortReference: Int] = [:]
        var inputs: [PortReference: Int] = [:]
        for link in links {
            let index = link.declaration.index
            if link.from?.port != nil, let from = link.declaration.from {
                if let first = outputs[from.value] {
                    report(
                        .outputLinkedTwice, at: from.location, "links[\(index)].from",
                        "output '\(from.value)' already feeds links[\(first)]; an output has exactly one link")
                } else {
                    outputs[from.value] = index
                }
            }
            if link.to?.port != nil, let to = link.declaration.to {
                if let first = inputs[to.value] {
                    report(
                        .inputLinkedTwice, at: to.location, "links[\(index)].to",
                        "input '\(to.value)' is already fed by links[\(first)]; an input has exactly one link")
                } else {
                    inputs[to.value] = index
                }
            }
        }
        for (node, descriptor) in descriptors.enumerated() {
            guard let descriptor else { continue }
            for port in descriptor.ports where port.required {
                let reference = "\(name(node)).\(port.name)"
                let linked = port.direction == .input ? inputs : outputs
                guard let key = PortReference(reference), linked[key] == nil, !isSuspect(node, port.direction) else {
                    continue
                }
                report(
                    .unlinkedRequiredPort, at: file.nodes[node].name.location, "nodes.\(name(node))",
                    "\(port.direction.rawValue) '\(reference)' must be linked")
            }
        }
    }

    /// Whether a link names a port of `node` that does not exist, so that one of its ports may have been meant; or
    /// the whole graph is in doubt because a link's end could not be read.
    private func isSuspect(_ node: Int, _ direction: PortDescriptor.Direction) -> Bool {
        links.contains { link in
            let end = direction == .input ? link.to : link.from
            guard let end else {
                // The node's name was mistyped, or the end is missing; that finding comes first.
                let written = direction == .input ? link.declaration.to : link.declaration.from
                guard let written else { return true }
                return Suggestion.nearest(to: written.value.node, among: [name(node)]) != nil
            }
            return end.node == node && end.port == nil
        }
    }
}
