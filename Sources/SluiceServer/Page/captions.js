// Text cues of a subtitle rendition, loaded around the playhead into a text track that the browser draws.

import { isAbort, load, pause } from "./fetching.js";
import { parseCues, trackCue } from "./cues.js";
import { continued, indexAt, parseMedia } from "./playlist.js";

/** Seconds of cues around the playhead that are loaded, and that are kept. */
const ahead = 40;
const behind = 5;
const kept = 300;

/** Shows one subtitle rendition at a time, whichever way the pictures come. */
export class Captions {
    #video;
    #track = null;
    #stop = null;
    #keys = new Set();
    onError = () => {};

    constructor(video) {
        this.#video = video;
    }

    /** Our own track; the renditions that a browser with HLS of its own made are the others. */
    get track() {
        return this.#track;
    }

    /** Shows a rendition of the multivariant playlist; null shows nothing. */
    show(rendition) {
        this.#stop?.abort();
        this.#stop = null;
        this.#clear();
        if (!rendition) {
            if (this.#track) this.#track.mode = "disabled";
            return;
        }
        this.#track ??= this.#video.addTextTrack("subtitles", "Subtitles", rendition.language || "und");
        this.#track.mode = "showing";
        this.#stop = new AbortController();
        this.#run(rendition, this.#stop.signal).catch((error) => {
            if (!isAbort(error)) this.onError(`Subtitles: ${error.message}`);
        });
    }

    async #run(rendition, signal) {
        let playlist = null;
        let readAt = 0;
        const done = new Set();
        for (;;) {
            const isOld = !playlist?.ended && performance.now() - readAt > 1000 * (playlist?.target ?? 0);
            if (!playlist || isOld) {
                const text = await load(rendition.url, { signal });
                playlist = continued(parseMedia(text, rendition.url), playlist);
                readAt = performance.now();
            }
            const next = this.#wanted(playlist.segments, done);
            if (!next) {
                this.#forget(done, playlist.segments);
                await this.#moved(signal);
                continue;
            }
            done.add(next.sequence);
            if (!next.isGap) await this.#take(next, signal);
        }
    }

    /** One unreadable file costs its own cues only. */
    async #take(segment, signal) {
        try {
            this.#add(parseCues(await load(segment.url, { signal, range: segment.range })));
        } catch (error) {
            if (isAbort(error)) throw error;
            this.onError(`Subtitles: ${error.message}`);
        }
    }

    /** The first segment around the playhead that is not loaded yet. */
    #wanted(segments, done) {
        if (!segments.length) return null;
        const time = this.#video.currentTime;
        for (let place = indexAt(segments, time - behind); place < segments.length; place += 1) {
            if (segments[place].start > time + ahead) return null;
            if (!done.has(segments[place].sequence)) return segments[place];
        }
        return null;
    }

    /** A second of time, or a seek. */
    #moved(signal) {
        const stop = new AbortController();
        const wake = () => stop.abort();
        this.#video.addEventListener("seeking", wake, { once: true, signal });
        return pause(1, AbortSignal.any([signal, stop.signal])).catch((error) => {
            if (signal.aborted) throw error;
        });
    }

    /** A cue that reaches over a boundary stands in both segments. */
    #add(cues) {
        for (const cue of cues) {
            const key = `${cue.start} ${cue.end} ${cue.text}`;
            if (this.#keys.has(key)) continue;
            this.#keys.add(key);
            const made = trackCue(cue);
            made.key = key;
            this.#track.addCue(made);
        }
    }

    /** Lets go of what lies far from the playhead. */
    #forget(done, segments) {
        const time = this.#video.currentTime;
        const isFar = (start, end) => end < time - kept || start > time + kept;
        for (const cue of [...(this.#track.cues ?? [])]) {
            if (!isFar(cue.startTime, cue.endTime)) continue;
            this.#keys.delete(cue.key);
            this.#track.removeCue(cue);
        }
        for (const segment of segments) {
            if (isFar(segment.start, segment.start + segment.duration)) done.delete(segment.sequence);
        }
    }

    #clear() {
        this.#keys.clear();
        if (!this.#track) return;
        // The cues of a disabled track cannot be listed.
        if (this.#track.mode === "disabled") this.#track.mode = "hidden";
        for (const cue of [...(this.#track.cues ?? [])]) this.#track.removeCue(cue);
    }
}
