// The page as a whole: asks for the status while somebody looks, and follows the address.

import { GraphView } from "./graph.js";
import { Library, drawFacts, drawSummary } from "./library.js";
import { Player, hasNative } from "./player.js";
import { drawFigures } from "./figures.js";
import { canFeed } from "./feeder.js";
import { load } from "./fetching.js";

const root = new URL("..", import.meta.url);
const find = (selector) => document.querySelector(selector);

const library = new Library(find("#library"));
const player = new Player(find("#player"));
const graphs = new Map();
const narrow = matchMedia("(max-width: 720px)");
let status = {};
let open = { master: null };

/** What the address of the page shows the server; every request of the page shows it too. */
const token = new URLSearchParams(location.search).get("v");
const pathOf = (master) => String(master ?? "").split("?")[0];

function signed(url) {
    if (token && !url.searchParams.has("v")) url.searchParams.set("v", token);
    return url;
}

// The address: `#play=<master>&engine=<…>&shape=<…>&t=<seconds>`.

function fromAddress() {
    const fields = new URLSearchParams(location.hash.slice(1));
    const play = fields.get("play");
    if (!play) return null;
    const url = new URL(play, root);
    // Only titles of this server: an address must not make a page load from elsewhere.
    if (url.origin !== location.origin) return null;
    signed(url);
    return {
        master: play, url: url.href,
        engine: ["native", "feeder"].includes(fields.get("engine")) ? fields.get("engine") : "auto",
        shape: fields.get("shape") === "muxed" ? "muxed" : "renditions",
        at: Math.max(0, Number(fields.get("t")) || 0),
    };
}

function toAddress(changes) {
    const { master, engine, shape, at } = { ...open, ...changes };
    const fields = new URLSearchParams({ play: master });
    if (engine !== "auto") fields.set("engine", engine);
    if (shape !== "renditions") fields.set("shape", shape);
    if (at) fields.set("t", String(Math.floor(at)));
    location.hash = fields.toString();
}

function follow() {
    const wanted = fromAddress();
    open = wanted ?? { master: null };
    document.body.classList.toggle("playing", wanted !== null);
    find("#player").hidden = wanted === null;
    if (!wanted) player.close();
    else {
        find("#player h2").textContent = decodeURIComponent(wanted.master.split("/~")[0].replace(/^\/?v1\//, ""));
        find("[name=engine]").value = wanted.engine;
        find("[name=shape]").value = wanted.shape;
        find("#address").value = wanted.url;
        drawTitle({});
        player.play(wanted.url, wanted);
        if (narrow.matches) find("#player").scrollIntoView({ block: "start" });
    }
    drawLibrary();
}

player.onMaster = async (master) => {
    const { url } = open;
    drawTitle({ master });
    const facts = url.replace(/master\.m3u8(?=$|\?)/, "title.json");
    const report = await load(facts, { as: "json" }).catch(() => null);
    if (open.url === url) drawTitle({ master, report });
};

let known = {};

/** The status may know a title's length only after it was opened. */
function currentTitle() {
    return list(status.titles).find((one) => pathOf(one?.master) === pathOf(open.master));
}

function drawTitle(facts) {
    known = facts;
    drawSummary(find("#summary"), { ...known, title: currentTitle() });
    drawFacts(find("#facts"), known);
    find("details").hidden = !find("#facts").children.length;
}

find("[name=engine]").addEventListener("change", (event) => toAddress({ engine: event.target.value, at: find("video").currentTime }));
find("[name=shape]").addEventListener("change", (event) => toAddress({ shape: event.target.value, at: find("video").currentTime }));
find("#copy").addEventListener("click", async () => {
    const field = find("#address");
    field.select();
    // The clipboard is there for secure origins only; the selection is enough to copy by hand.
    await navigator.clipboard?.writeText(field.value).catch(() => {});
});
find("[name=engine] [value=native]").disabled = !hasNative();
find("[name=engine] [value=feeder]").disabled = !canFeed();

// The status: once a second while the page is seen, less often while the server does not answer.

const list = (value) => (Array.isArray(value) ? value : []);

function drawLibrary() {
    library.update(list(status.titles).filter(Boolean), open.master);
}

function drawGraphs(now) {
    const seen = new Set();
    const place = find("#graphs .list");
    // Those of the title that is watched first.
    const watched = currentTitle();
    const isWatched = (graph) => watched !== undefined && [watched.id, watched.source].includes(graph.title);
    const ordered = list(status.graphs).filter(Boolean).sort((a, b) => isWatched(b) - isWatched(a));
    for (const [index, graph] of ordered.slice(0, 12).entries()) {
        // A title may be produced more than once at a time.
        let key = `${graph.title ?? ""} ${graph.name ?? ""} ${graph.shape ?? ""}`;
        while (seen.has(key)) key += "+";
        seen.add(key);
        if (!graphs.has(key)) graphs.set(key, new GraphView());
        const view = graphs.get(key).element;
        if (place.children[index] !== view) place.insertBefore(view, place.children[index] ?? null);
        graphs.get(key).update(graph, now, narrow.matches);
    }
    for (const [key, view] of graphs) {
        if (seen.has(key)) continue;
        view.element.remove();
        graphs.delete(key);
    }
    find("#graphs .empty").hidden = seen.size > 0;
}

function draw() {
    drawLibrary();
    drawSummary(find("#summary"), { ...known, title: currentTitle() });
    drawGraphs(performance.now() / 1000);
    drawFigures(find("#figures"), status);
}

async function ask() {
    const address = signed(new URL("api/status", root));
    const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (response.status === 401) throw new Error("the address needs the v=… that the server printed");
    if (!response.ok) throw new Error(`status ${response.status}`);
    status = (await response.json()) ?? {};
}

let timer = null;
let isAsking = false;

async function poll() {
    clearTimeout(timer);
    if (document.hidden || isAsking) return;
    isAsking = true;
    let next = 1000;
    let message = "connected";
    try {
        await ask();
        document.body.dataset.server = "here";
        draw();
    } catch (error) {
        document.body.dataset.server = "away";
        const isRefused = error instanceof Error && error.message.startsWith("the address");
        message = isRefused ? error.message : "the server does not answer";
        find("#server").title = String(error.message);
        next = 5000;
    }
    find("#server").textContent = message;
    isAsking = false;
    timer = setTimeout(poll, next);
}

document.addEventListener("visibilitychange", poll);
narrow.addEventListener("change", draw);
addEventListener("hashchange", follow);
follow();
poll();
