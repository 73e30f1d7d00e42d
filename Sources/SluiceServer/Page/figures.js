// How numbers and tracks are written, and the tables of store, viewers and producers.

/** `1.5 MiB`; a dash for what is no number. */
export function size(bytes) {
    if (!Number.isFinite(bytes)) return "–";
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let place = 0;
    let value = Math.max(0, bytes);
    while (value >= 1000 && place < units.length - 1) {
        value /= 1024;
        place += 1;
    }
    return `${value < 10 && place > 0 ? value.toFixed(1) : Math.round(value)} ${units[place]}`;
}

/** `1:02:03` or `2:03`. */
export function clock(seconds) {
    if (!Number.isFinite(seconds)) return "–";
    const whole = Math.max(0, Math.floor(seconds));
    const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const two = (value) => String(value).padStart(2, "0");
    return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A short count: `950`, `1.2 k`, `3.4 M`. */
export function count(value) {
    if (!Number.isFinite(value)) return "–";
    if (value < 10 && value % 1) return value.toFixed(1);
    if (value < 1000) return String(Math.round(value));
    return value < 1e6 ? `${(value / 1e3).toFixed(1)} k` : `${(value / 1e6).toFixed(1)} M`;
}

const codecNames = {
    h264: "H.264", avc1: "H.264", avc3: "H.264", hevc: "HEVC", hvc1: "HEVC", hev1: "HEVC", av1: "AV1", av01: "AV1",
    vp9: "VP9", vp09: "VP9", vp8: "VP8", mpeg2video: "MPEG-2", mpeg4: "MPEG-4", vc1: "VC-1", dvh1: "Dolby Vision",
    aac: "AAC", mp4a: "AAC", ac3: "AC-3", "ac-3": "AC-3", eac3: "E-AC-3", "ec-3": "E-AC-3", truehd: "TrueHD",
    dts: "DTS", flac: "FLAC", alac: "ALAC", opus: "Opus", mp3: "MP3", vorbis: "Vorbis", pcm: "PCM",
};

/** A codec's usual name, from its short name or from an entry of CODECS. */
export function codecName(text) {
    const key = String(text ?? "").toLowerCase();
    if (key === "mp4a.40.34" || key === "mp4a.6b" || key === "mp4a.69") return "MP3";
    return codecNames[key] ?? codecNames[key.split(".")[0]] ?? String(text ?? "");
}

const layouts = { 1: "mono", 2: "stereo", 3: "2.1", 6: "5.1", 7: "6.1", 8: "7.1" };

export function channelName(channels) {
    const [number, extra] = String(channels ?? "").split("/");
    if (extra === "JOC") return "Atmos";
    return layouts[number] ?? (Number(number) > 0 ? `${number} channels` : "");
}

export function languageName(tag) {
    if (!tag || tag === "und") return "";
    try {
        return new Intl.DisplayNames([navigator.language, "en"], { type: "language" }).of(tag) ?? tag;
    } catch {
        return tag;
    }
}

/** `English · Commentary · stereo` for a rendition or a track of the status report. */
export function trackName(track) {
    const language = languageName(track.language);
    const name = track.name ?? track.title ?? "";
    const isCode = name.length <= 3 && language !== "";
    const parts = [language, isCode || name === language ? "" : name, track.codec && codecName(track.codec)];
    return [...parts, channelName(track.channels)].filter(Boolean).join(" · ");
}

/** What VIDEO-RANGE, or a field of the status report, means to a person. */
export function rangeName(text) {
    const key = String(text ?? "").toUpperCase();
    if (key === "PQ") return "HDR (PQ)";
    if (key === "HLG") return "HDR (HLG)";
    return key === "" || key === "SDR" || key === "FALSE" ? "" : String(text);
}

/** An element with a class, and texts or elements in it. */
export function element(name, className = "", ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content.filter((part) => part !== null && part !== undefined));
    return made;
}

const list = (value) => (Array.isArray(value) ? value : []);

/** Draws store, producers and viewers into their places; whatever a server does not report is left out. */
export function drawFigures(root, status) {
    drawStore(root.querySelector(".store"), status.store ?? {});
    drawTable(root.querySelector(".producers"), "Nothing is being produced", list(status.producers).map((one) => [
        one.title ?? one.source ?? "",
        one.set ?? one.rendition ?? one.shape ?? "",
        one.state ?? (one.running === undefined ? "" : one.running ? "running" : "resting"),
        one.waits ? `${one.waits} waiting` : one.position !== undefined ? `at ${one.position}` : "",
    ]));
    drawTable(root.querySelector(".viewers"), "Nobody is watching", list(status.viewers).map((one) => [
        one.title ?? "",
        one.address ?? one.id ?? "",
        [one.rendition, one.segment].filter((part) => part !== null && part !== undefined).join(" "),
        [Number.isFinite(one.bytes) && size(one.bytes), Number.isFinite(one.idle) && `${clock(one.idle)} ago`]
            .filter(Boolean).join(" · "),
    ]));
}

function drawStore(place, store) {
    const bars = [["Memory", store.ramBytes, store.ramLimit], ["Disk", store.diskBytes, store.diskLimit]]
        .filter(([, used, limit]) => Number.isFinite(used) && limit > 0);
    place.replaceChildren(...bars.map(([name, used, limit]) => {
        const meter = element("meter");
        Object.assign(meter, { min: 0, max: limit, value: Math.min(used, limit) });
        meter.setAttribute("aria-label", name);
        return element("div", "bar", element("span", "", name), meter, element("span", "", `${size(used)} of ${size(limit)}`));
    }));
    if (!bars.length) place.append(element("p", "empty", "No store is reported"));
}

function drawTable(place, empty, rows) {
    const shown = rows.slice(0, 50).map((row) => element("li", "", ...row.map((text, column) =>
        element("span", column === 0 ? "name" : "", text))));
    if (rows.length > shown.length) shown.push(element("li", "empty", `and ${rows.length - shown.length} more`));
    place.replaceChildren(...(shown.length ? shown : [element("li", "empty", empty)]));
}
