// A running graph as SVG: nodes in layers from source to sink, each link with the level of its queue.

import { count, size } from "./figures.js";

const space = "http://www.w3.org/2000/svg";
const box = { width: 142, height: 62 };
const gap = { along: 66, across: 22 };
const meter = { width: 52, height: 6 };
/** How far a drawing shrinks before it is scrolled. */
const smallest = 0.74;

/** `reader.bytes` is a port of `reader`. */
const nodeOf = (end) => String(end ?? "").split(".")[0];

const items = (number) => `${count(number)} ${number === 1 ? "item" : "items"}`;

function svg(name, fields = {}, ...content) {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(fields)) made.setAttribute(key, value);
    made.append(...content);
    return made;
}

/** The layer of each node: one more than the highest that leads to it. */
export function layers(nodes, links) {
    const layer = new Map(nodes.map((node) => [node.id, 0]));
    // A graph has no cycles; a broken report must not hang the page.
    for (let round = 0; round < nodes.length; round += 1) {
        let isSettled = true;
        for (const link of links) {
            const [from, to] = [nodeOf(link.from), nodeOf(link.to)];
            if (!layer.has(from) || !layer.has(to) || layer.get(to) > layer.get(from)) continue;
            layer.set(to, layer.get(from) + 1);
            isSettled = false;
        }
        if (isSettled) break;
    }
    return layer;
}

/** One graph on the page; `update` draws anew only when its nodes and links are others. */
export class GraphView {
    element = document.createElement("figure");
    #caption = document.createElement("figcaption");
    #drawing = null;
    #shape = "";
    #last = new Map();

    constructor() {
        this.element.className = "graph";
        this.element.append(this.#caption);
    }

    /** `now` in seconds, for the rates. */
    update(graph, now, isNarrow) {
        const nodes = (Array.isArray(graph.nodes) ? graph.nodes : []).filter((node) => node?.id).slice(0, 200);
        const links = (Array.isArray(graph.links) ? graph.links : []).slice(0, 400);
        const shape = JSON.stringify([isNarrow, nodes.map((node) => [node.id, node.kind]), links.map((link) => [link.from, link.to])]);
        if (shape !== this.#shape) {
            this.#shape = shape;
            this.#draw(nodes, links, isNarrow);
        }
        this.#caption.textContent = [graph.title, graph.name, graph.phase].filter(Boolean).join(" · ");
        for (const node of nodes) this.#updateNode(node, now);
        links.forEach((link, place) => this.#updateLink(link, place));
    }

    #draw(nodes, links, isNarrow) {
        const places = arrange(nodes, links, isNarrow);
        // Down the page, the levels stand right of the links.
        const beside = isNarrow ? 60 : 0;
        const width = Math.max(...[...places.values()].map(({ x }) => x + box.width), box.width) + 8 + beside;
        const height = Math.max(...[...places.values()].map(({ y }) => y + box.height), box.height) + 8;
        const label = `Graph of ${nodes.length} nodes`;
        const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
        drawing.style.minWidth = `${Math.round(smallest * width)}px`;
        links.forEach((link, place) => {
            const [from, to] = [places.get(nodeOf(link.from)), places.get(nodeOf(link.to))];
            if (from && to) drawing.append(drawLink(link, place, from, to, isNarrow));
        });
        for (const node of nodes) drawing.append(drawNode(node, places.get(node.id)));
        this.#drawing?.remove();
        this.#drawing = drawing;
        this.element.append(drawing);
    }

    #updateNode(node, now) {
        const group = this.#drawing.querySelector(`[data-node="${CSS.escape(node.id)}"]`);
        if (!group) return;
        group.dataset.state = String(node.state ?? "").split("(")[0];
        const before = this.#last.get(node.id);
        this.#last.set(node.id, { now, items: node.items, bytes: node.bytes });
        const passed = before ? now - before.now : 0;
        // A graph that was started again counts from nought.
        const rate = (key) => (passed > 0 && node[key] >= before[key] ? (node[key] - before[key]) / passed : 0);
        group.querySelector(".rate").textContent = `${count(rate("items"))}/s · ${size(rate("bytes"))}/s`;
        group.querySelector(".total").textContent = `${items(node.items)} · ${size(node.bytes)}`;
        const errors = node.errors ? `, ${node.errors} errors` : "";
        group.querySelector("title").textContent = `${node.id} (${node.kind ?? "?"}): ${stateName(node.state)}${errors}`;
    }

    #updateLink(link, place) {
        const group = this.#drawing.querySelector(`[data-link="${place}"]`);
        if (!group) return;
        const share = link.bound > 0 ? Math.min(1, Math.max(0, (link.queued ?? 0) / link.bound)) : 0;
        group.querySelector(".level").setAttribute("width", (meter.width * share).toFixed(1));
        group.querySelector(".meter").dataset.full = String(share > 0.8);
        group.querySelector(".amount").textContent = link.queued > 0 ? size(link.queued) : link.items > 0 ? items(link.items) : "0";
        group.querySelector("title").textContent =
            `${link.from} → ${link.to}: ${size(link.queued)} of ${size(link.bound)}, ${items(link.items)}`;
    }
}

/** `waitingForInput` as words. */
export const stateName = (state) => String(state ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** Places of the boxes; layers run down the page where it is narrow, else across it. */
function arrange(nodes, links, isNarrow) {
    const layer = layers(nodes, links);
    const rows = [];
    for (const node of nodes) (rows[layer.get(node.id)] ??= []).push(node);
    const order = new Map(nodes.map((node, place) => [node.id, place]));
    const places = new Map();
    const widest = Math.max(...rows.filter(Boolean).map((row) => row.length), 1);
    for (const [depth, row] of rows.entries()) {
        if (!row) continue;
        // Next to those that feed them, so that few links cross.
        const pull = (node) => {
            const feeders = links.filter((link) => nodeOf(link.to) === node.id).map((link) => order.get(nodeOf(link.from)) ?? 0);
            return feeders.length ? feeders.reduce((sum, place) => sum + place, 0) / feeders.length : order.get(node.id);
        };
        row.sort((a, b) => pull(a) - pull(b));
        row.forEach((node, place) => {
            order.set(node.id, place);
            const across = place + (widest - row.length) / 2;
            places.set(node.id, isNarrow
                ? { x: 64 + across * (box.width + gap.across), y: 4 + depth * (box.height + 42) }
                : { x: 4 + depth * (box.width + gap.along), y: 4 + across * (box.height + gap.across) });
        });
    }
    return places;
}

function drawNode(node, place) {
    const at = (y, className, text) => svg("text", { x: 10, y, class: className }, text);
    return svg("g", { class: "node", "data-node": node.id, transform: `translate(${place.x} ${place.y})` },
        svg("title"),
        svg("rect", { width: box.width, height: box.height, rx: 9 }),
        svg("circle", { cx: box.width - 14, cy: 15, r: 4.5, class: "state" }),
        at(20, "name", node.id), at(37, "rate", ""), at(53, "total", ""));
}

function drawLink(link, place, from, to, isNarrow) {
    const start = isNarrow ? { x: from.x + box.width / 2, y: from.y + box.height } : { x: from.x + box.width, y: from.y + box.height / 2 };
    const end = isNarrow ? { x: to.x + box.width / 2, y: to.y } : { x: to.x, y: to.y + box.height / 2 };
    const [bendX, bendY] = [(start.x + end.x) / 2, (start.y + end.y) / 2];
    const path = isNarrow
        ? `M${start.x} ${start.y}C${start.x} ${bendY} ${end.x} ${bendY} ${end.x} ${end.y}`
        : `M${start.x} ${start.y}C${bendX} ${start.y} ${bendX} ${end.y} ${end.x} ${end.y}`;
    const meterAt = isNarrow ? { x: bendX + 10, y: bendY - 3 } : { x: bendX - meter.width / 2, y: bendY - 15 };
    const amountAt = isNarrow ? { x: bendX + 16 + meter.width, y: bendY + 4, "text-anchor": "start" }
        : { x: bendX, y: bendY + 15, "text-anchor": "middle" };
    return svg("g", { class: "link", "data-link": place },
        svg("title"), svg("path", { d: path }),
        svg("g", { class: "meter", transform: `translate(${meterAt.x} ${meterAt.y})` },
            svg("rect", { class: "bound", width: meter.width, height: meter.height, rx: 3 }),
            svg("rect", { class: "level", width: 0, height: meter.height, rx: 3 })),
        svg("text", { class: "amount", ...amountAt }));
}
