// The list of titles, and the facts of the one that is open.

import { channelName, clock, codecName, element, languageName, rangeName, trackName } from "./figures.js";

/** Titles that are drawn at one time; the filter finds the others. */
const shownLimit = 300;

/** The address of the page that plays a multivariant playlist. */
export const linkTo = (master) => `#play=${encodeURIComponent(master)}`;

/** Draws the library; a list that has not changed is left alone, so that it does not lose focus or selection. */
export class Library {
    #list;
    #filter;
    #titles = [];
    #current = null;
    #drawn = "";

    constructor(section) {
        this.#list = section.querySelector("ul");
        this.#filter = section.querySelector("input");
        this.#filter.addEventListener("input", () => this.#draw());
    }

    update(titles, current) {
        this.#titles = titles;
        this.#current = current;
        this.#filter.hidden = titles.length < 12;
        this.#draw();
    }

    #draw() {
        const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        const fits = (title) => words.every((word) => name(title).toLowerCase().includes(word));
        const found = this.#titles.filter(fits);
        const key = JSON.stringify([found.slice(0, shownLimit), this.#current, found.length]);
        if (key === this.#drawn) return;
        this.#drawn = key;
        const items = found.slice(0, shownLimit).map((title) => this.#item(title));
        if (found.length > shownLimit) items.push(element("li", "empty", `and ${found.length - shownLimit} more`));
        if (!items.length) {
            const why = this.#titles.length ? "No title fits" : "No media files are mounted here";
            items.push(element("li", "empty", why));
        }
        this.#list.replaceChildren(...items);
    }

    #item(title) {
        const parts = name(title).split("/");
        const link = element("a", "title",
            element("span", "name", parts.at(-1)),
            parts.length > 1 ? element("span", "folder", parts.slice(0, -1).join(" / ")) : null,
            element("span", "facts", ...summary(title).map((text) => element("span", "", text))));
        if (title.error) link.append(element("span", "refused", title.error));
        if (title.master) link.href = linkTo(title.master);
        if (title.master && path(title.master) === path(this.#current)) link.setAttribute("aria-current", "true");
        return element("li", "", link);
    }
}

/** Without the signature, which may differ between two lists. */
const path = (master) => String(master ?? "").split("?")[0];

const name = (title) => String(title.source ?? title.id ?? "");

/** `1:32:10`, `HEVC 3840×2160 HDR (PQ)`, `E-AC-3 5.1 · English`: what a title's report says, as far as it does. */
export function summary(title) {
    const facts = [];
    if (Number.isFinite(title.duration)) facts.push(clock(title.duration));
    const video = title.video;
    if (typeof video === "string" && video) facts.push(codecName(video));
    else if (video && typeof video === "object") {
        const resolution = video.width > 0 ? `${video.width}×${video.height}` : "";
        const range = rangeName(video.range ?? video.hdr ?? video.videoRange);
        facts.push([codecName(video.codec), resolution, range].filter(Boolean).join(" "));
    }
    const audio = Array.isArray(title.audio) ? title.audio : [];
    for (const track of audio.slice(0, 3)) {
        if (typeof track === "string") facts.push(codecName(track));
        else facts.push([codecName(track.codec), channelName(track.channels), languageName(track.language)].filter(Boolean).join(" "));
    }
    if (audio.length > 3) facts.push(`+${audio.length - 3}`);
    return facts.filter(Boolean);
}

/** The facts of the open title in short, of which the master playlist says most. */
export function drawSummary(place, { title, master }) {
    const variant = master?.variants[0];
    const facts = [];
    if (title && Number.isFinite(title.duration)) facts.push(clock(title.duration));
    if (variant) {
        facts.push(...new Set(variant.codecs.map(codecName)));
        if (variant.width) facts.push(`${variant.width}×${variant.height}`, rangeName(variant.range) || "SDR");
        if (/^(dv|db)/i.test(variant.supplemental)) facts.push("Dolby Vision");
        if (variant.frameRate) facts.push(`${Number(variant.frameRate.toFixed(3))} fps`);
    }
    place.replaceChildren(...facts.map((text) => element("span", "", text)));
}

/** Everything that is known of the open title. */
export function drawFacts(place, { master, report }) {
    const rows = [];
    const variant = master?.variants[0];
    if (variant) {
        if (variant.bandwidth) rows.push(["Peak rate", `${(variant.bandwidth / 1e6).toFixed(1)} Mbit/s`]);
        rows.push(["CODECS", variant.codecs.join(", ")]);
    }
    const streams = Array.isArray(report?.streams) ? report.streams : [];
    for (const stream of streams) {
        const what = stream.type === "video"
            ? [codecName(stream.codec), stream.width && `${stream.width}×${stream.height}`].filter(Boolean).join(" ")
            : trackName(stream);
        rows.push([`Stream ${stream.index}`, `${stream.type} · ${what}${stream.served === false ? " · not served" : ""}`]);
    }
    if (report?.segments) rows.push(["Segments", `${report.segments}, planned from the ${report.basis ?? "source"}`]);
    place.replaceChildren(...rows.filter(([, text]) => text).flatMap(([label, text]) =>
        [element("dt", "", label), element("dd", "", text)]));
}
