// One playlist's way into one SourceBuffer: which segment next, loading, appending, removing.

import { aborted, FetchError, isAbort, load, pause } from "./fetching.js";
import { decodeStart, mimeType, tracks } from "./boxes.js";
import { continued, indexAt, parseMedia } from "./playlist.js";

/** Seconds of media ahead of the playhead that are loaded, less once the browser's quota was met. */
const aheadGoal = 30;
const aheadLeast = 4;
/** Seconds behind the playhead that are kept. */
const behindKept = 30;
/** Starts of playlist and media that differ by less are the same: frames do not end where segments do. */
const startSlack = 0.5;
const edgeSlack = 0.1;

/** The end of the buffered range that holds `time`; null where there is none. */
export function bufferedEnd(ranges, time) {
    for (let place = 0; place < ranges.length; place += 1) {
        if (ranges.start(place) <= time + edgeSlack && ranges.end(place) > time) return ranges.end(place);
    }
    return null;
}

/** Owns a SourceBuffer: nobody else changes it. */
export class Lane {
    playlist = null;
    type = null;
    isDone = false;
    #feeder;
    #url;
    #codecs;
    #buffer = null;
    #goal = aheadGoal;
    #next = 0;
    #readAt = 0;
    #map = null;
    #known = [];
    #loading = null;
    #wake = () => {};
    #wanted = null;
    #sections = new Map();

    /** `feeder` gives the playhead, the signal that ends everything, and the offset of each discontinuity. */
    constructor(feeder, url, codecs) {
        this.#feeder = feeder;
        this.#url = url;
        this.#codecs = codecs;
    }

    /** Reads the playlist and the first initialization section, which together say what buffer is needed. */
    async prepare() {
        await this.#read();
        const first = this.playlist.segments[0];
        if (!first) throw new Error("the playlist has no segments");
        if (!first.map) throw new Error("the playlist names no initialization section");
        const section = await this.#section(first.map);
        this.type = section.type;
    }

    attach(buffer) {
        this.#buffer = buffer;
        this.reposition();
    }

    /** Another playlist of the same kind from now on: a different sound track. */
    switchTo(url) {
        this.#wanted = url;
        this.#interrupt();
    }

    /** Continues where the buffer ends after the playhead, or at the playhead where nothing is buffered. */
    reposition() {
        const time = this.#feeder.time;
        const end = this.#buffer ? bufferedEnd(this.#buffer.buffered, time) : null;
        const next = this.#segmentFor(end ?? time);
        if (next !== this.#next || this.isDone) this.#loading?.abort();
        this.#next = next;
        this.isDone = false;
        this.#wake();
    }

    /** Loads what is at the playhead once more: what was appended did not make it playable. */
    retry() {
        this.#next = this.#segmentFor(this.#feeder.time);
        this.isDone = false;
        this.#wake();
    }

    /** Whether nothing will come for `time`: the playlist has a gap there, or it is over. */
    isHole(time) {
        const segment = this.playlist?.segments[indexAt(this.playlist.segments, time)];
        return !segment || segment.isGap || time >= segment.start + segment.duration;
    }

    /** Whether the segments up to `time` are appended. */
    hasPassed(time) {
        const next = this.playlist?.segments[this.#next];
        return this.isDone || (next !== undefined && next.start > time);
    }

    isBuffered(time) {
        return this.#buffer !== null && bufferedEnd(this.#buffer.buffered, time) !== null;
    }

    /** Feeds until the feeder stops. */
    async run() {
        const signal = this.#feeder.signal;
        while (!signal.aborted) {
            try {
                await this.#step();
            } catch (error) {
                if (!isAbort(error) || signal.aborted) throw error;
            }
        }
        throw aborted();
    }

    async #step() {
        if (this.#wanted) await this.#switch();
        if (!this.playlist.ended && this.#next >= this.playlist.segments.length) {
            const age = (performance.now() - this.#readAt) / 1000;
            if (age < this.playlist.target / 2) return await this.#idle(this.playlist.target / 2 - age);
            return await this.#read();
        }
        await this.#trim();
        const segment = this.playlist.segments[this.#next];
        if (!segment) {
            this.isDone = true;
            this.#feeder.settle();
            return await this.#idle(1);
        }
        if (segment.isGap) {
            this.#next += 1;
            return;
        }
        if (segment.start - this.#feeder.time > this.#goal) return await this.#idle(0.5);
        await this.#feed(segment, this.#next);
    }

    async #feed(segment, index) {
        this.#loading = new AbortController();
        const signal = AbortSignal.any([this.#feeder.signal, this.#loading.signal]);
        let bytes;
        try {
            const section = await this.#section(segment.map, signal);
            bytes = await this.#load(segment.url, segment.range, signal);
            if (section !== this.#map) await this.#begin(section);
        } finally {
            this.#loading = null;
        }
        this.#place(segment, bytes);
        if (!await this.#append(bytes)) return await this.#idle(1);
        this.#feeder.count(bytes.byteLength);
        // A seek that came meanwhile has set another place already.
        if (this.#next === index) this.#next = index + 1;
    }

    /** The offset that puts the segment where the playlist says; 0 where the media's own times agree, as ours do. */
    #place(segment, bytes) {
        const own = decodeStart(bytes, this.#known);
        if (own === null) return;
        const difference = segment.start - own;
        const offset = this.#feeder.offset(segment.discontinuity, Math.abs(difference) < startSlack ? 0 : difference);
        if (this.#buffer.timestampOffset !== offset) this.#buffer.timestampOffset = offset;
    }

    async #begin(section) {
        if (section.type !== this.type) {
            this.#buffer.changeType(section.type);
            this.type = section.type;
        }
        await this.#append(section.bytes);
        this.#map = section;
        this.#known = section.tracks;
    }

    /** False where the browser has no room for it now. */
    async #append(bytes) {
        for (let attempt = 0; attempt < 3; attempt += 1) {
            try {
                await this.#update(() => this.#buffer.appendBuffer(bytes));
                return true;
            } catch (error) {
                if (error.name !== "QuotaExceededError") throw error;
                this.#goal = Math.max(aheadLeast, this.#goal / 2);
                await this.#trim(attempt === 0 ? behindKept / 3 : 1, this.#goal);
            }
        }
        return false;
    }

    /** Removes what lies far behind the playhead, and with `ahead` also what lies that far before it. */
    async #trim(behind = behindKept, ahead = Infinity) {
        const ranges = this.#buffer.buffered;
        const time = this.#feeder.time;
        if (!ranges.length || this.#feeder.isEnded) return;
        const until = time - behind;
        // In steps, so that it is not done at every segment.
        const step = behind < behindKept ? 0 : 10;
        if (ranges.start(0) < until - step) await this.#update(() => this.#buffer.remove(0, until));
        if (ahead !== Infinity && ranges.length && ranges.end(ranges.length - 1) > time + ahead + 1) {
            await this.#update(() => this.#buffer.remove(time + ahead, Infinity));
            this.#next = Math.min(this.#next, this.#segmentFor(time + ahead));
        }
    }

    async #switch() {
        const url = this.#wanted;
        this.#wanted = null;
        this.#url = url;
        this.playlist = null;
        await this.#read();
        this.#map = null;
        this.isDone = false;
        await this.#update(() => this.#buffer.remove(0, Infinity));
        this.#next = this.#segmentFor(this.#feeder.time);
    }

    async #read() {
        const text = await load(this.#url, { signal: this.#feeder.signal, onWait: this.#feeder.onWait });
        this.playlist = continued(parseMedia(text, this.#url), this.playlist);
        this.#readAt = performance.now();
        this.#feeder.lengthen(this.playlist);
    }

    /** An initialization section with what it says; each is loaded once. */
    async #section(map, signal) {
        const key = `${map.url} ${map.range?.first ?? ""}`;
        const known = this.#sections.get(key);
        if (known) return known;
        const bytes = await this.#load(map.url, map.range, signal ?? this.#feeder.signal);
        const found = tracks(bytes);
        const section = { bytes, tracks: found, type: mimeType(found, this.#codecs) };
        if (!section.type) {
            const names = found.map((track) => track.entry).join(", ") || "no tracks";
            throw new Error(`the initialization section has ${names}, the master playlist ${this.#codecs.join(", ")}`);
        }
        if (this.#sections.size >= 16) this.#sections.clear();
        this.#sections.set(key, section);
        return section;
    }

    #load(url, range, signal) {
        return load(url, { as: "bytes", signal, range, onWait: this.#feeder.onWait });
    }

    #segmentFor(time) {
        const segments = this.playlist.segments;
        const last = segments.at(-1);
        if (last && time >= last.start + last.duration - edgeSlack) return segments.length;
        return indexAt(segments, time + edgeSlack);
    }

    /** One change of the buffer from its start to its end. */
    #update(action) {
        const buffer = this.#buffer;
        return new Promise((resolve, reject) => {
            const finish = (event) => {
                buffer.removeEventListener("updateend", finish);
                buffer.removeEventListener("error", finish);
                if (event.type === "error") reject(new FetchError(200, "the browser cannot read this media"));
                else resolve();
            };
            buffer.addEventListener("updateend", finish);
            buffer.addEventListener("error", finish);
            try {
                action();
            } catch (error) {
                buffer.removeEventListener("updateend", finish);
                buffer.removeEventListener("error", finish);
                reject(error);
            }
        });
    }

    async #idle(seconds) {
        const stop = new AbortController();
        this.#wake = () => stop.abort();
        await pause(seconds, AbortSignal.any([this.#feeder.signal, stop.signal]));
    }

    #interrupt() {
        this.#loading?.abort();
        this.#wake();
    }
}
