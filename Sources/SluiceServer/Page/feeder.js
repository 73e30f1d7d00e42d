// Plays HLS through Media Source Extensions: one lane for the pictures, one for a separate sound track.

import { isAbort, load } from "./fetching.js";
import { isSound } from "./boxes.js";
import { bufferedEnd, Lane } from "./lane.js";
import { parseMaster } from "./playlist.js";

/** Seconds without buffered media that are jumped over; gaps of the playlist may be any length. */
const holeLimit = 0.6;
/** Seconds at a standstill before what is there is loaded again. */
const patience = 4;

/** Seconds by which a playhead is moved that stands although there is media before it. */
const nudge = 0.1;

/** Whether this browser can be fed at all. */
export const canFeed = () => typeof MediaSource !== "undefined" && typeof SourceBuffer !== "undefined";

const isSupported = (type) => MediaSource.isTypeSupported(type);
const isCodecSupported = (codec) => isSupported(`${isSound(codec) ? "audio" : "video"}/mp4; codecs="${codec}"`);

/** Plays one title in a media element until it is closed. */
export class Feeder {
    audio = [];
    subtitles = [];
    selectedAudio = null;
    bytes = 0;
    onError = () => {};
    onNotice = () => {};
    onWait = (seconds) => {
        this.#isHeldUp = true;
        this.onNotice(`The server is busy: next try in ${seconds.toFixed(1)} s`);
    };
    #isHeldUp = false;
    #video;
    #source = new MediaSource();
    #stop = new AbortController();
    #lanes = [];
    #soundLane = null;
    #offsets = new Map();
    #objectURL = null;
    #timer = null;
    #still = { at: -1, since: 0, retries: 0 };

    constructor(video) {
        this.#video = video;
    }

    get time() {
        return this.#video.seeking || this.#video.readyState > 0 ? this.#video.currentTime : this.start;
    }
    get signal() {
        return this.#stop.signal;
    }
    get isEnded() {
        return this.#source.readyState === "ended";
    }
    start = 0;

    /** Loads the multivariant playlist and starts to feed, at `start` seconds. Rejects where nothing can be played. */
    async open(url, { start = 0, audio = null } = {}) {
        this.start = start;
        const master = parseMaster(await load(url, { signal: this.signal, onWait: this.onWait }), url);
        const variant = this.#choose(master.variants);
        this.audio = master.audio.filter((rendition) => rendition.group === variant.audioGroup && rendition.url);
        this.subtitles = master.subtitles.filter((rendition) => rendition.group === variant.subtitlesGroup);
        await this.#attach();
        await this.#prepare(variant, audio);
        this.#lengthen();
        this.start ||= this.#liveStart();
        for (const lane of this.#lanes) lane.attach(this.#source.addSourceBuffer(lane.type));
        if (this.start > 0) this.#video.currentTime = this.start;
        this.#video.addEventListener("seeking", () => this.#seek(), { signal: this.signal });
        this.#timer = setInterval(() => this.#watch(), 250);
        for (const lane of this.#lanes) {
            lane.run().catch((error) => {
                if (!isAbort(error)) this.#fail(error);
            });
        }
    }

    close() {
        this.#stop.abort();
        clearInterval(this.#timer);
        if (!this.#objectURL) return;
        URL.revokeObjectURL(this.#objectURL);
        this.#objectURL = null;
        this.#video.removeAttribute("src");
        this.#video.load();
    }

    /** Another sound track, from where the playhead is. */
    selectAudio(index) {
        const rendition = this.audio[index];
        if (!rendition || !this.#soundLane || index === this.selectedAudio) return;
        this.selectedAudio = index;
        this.#soundLane.switchTo(rendition.url);
    }

    // What lanes ask for.

    /** The offset of a discontinuity: the first lane that gets there decides for all, so that they stay in step. */
    offset(discontinuity, proposed) {
        if (!this.#offsets.has(discontinuity)) this.#offsets.set(discontinuity, proposed);
        return this.#offsets.get(discontinuity);
    }

    count(bytes) {
        this.bytes += bytes;
        if (this.#isHeldUp) this.onNotice("");
        this.#isHeldUp = false;
    }

    /** Ends the stream once every lane has given all it has. */
    settle() {
        if (this.#source.readyState !== "open" || !this.#lanes.every((lane) => lane.isDone)) return;
        if ([...this.#source.sourceBuffers].some((buffer) => buffer.updating)) return;
        this.#source.endOfStream();
    }

    lengthen() {
        if (this.#source.sourceBuffers.length) this.#lengthen();
    }

    // Opening.

    /** The best variant that the browser plays; else the one of which it plays the pictures. */
    #choose(variants) {
        const ordered = [...variants].sort((a, b) => b.bandwidth - a.bandwidth);
        const whole = ordered.find((variant) => variant.codecs.every(isCodecSupported));
        const pictures = (variant) => variant.codecs.filter((codec) => !isSound(codec));
        const part = ordered.find((variant) => pictures(variant).length && pictures(variant).every(isCodecSupported));
        const chosen = whole ?? part;
        if (!chosen) {
            const names = variants.flatMap((variant) => variant.codecs).join(", ");
            throw new Error(`this browser plays none of ${names || "the title's formats"}`);
        }
        return chosen;
    }

    async #attach() {
        this.#objectURL = URL.createObjectURL(this.#source);
        const opened = new Promise((resolve) => this.#source.addEventListener("sourceopen", resolve, { once: true }));
        this.#video.src = this.#objectURL;
        await opened;
        this.signal.throwIfAborted();
    }

    async #prepare(variant, wantedAudio) {
        const main = new Lane(this, variant.url, variant.codecs);
        await main.prepare();
        if (!isSupported(main.type)) throw new Error(`this browser does not play ${main.type}`);
        this.#lanes = [main];
        if (!this.audio.length) return;
        // The wanted one first, then the default, then whichever can be played.
        const rank = (index) => (index === wantedAudio ? 0 : this.audio[index].isDefault ? 1 : 2);
        const order = this.audio.map((_, index) => index).sort((a, b) => rank(a) - rank(b));
        const refused = [];
        for (const index of order) {
            const lane = new Lane(this, this.audio[index].url, variant.codecs);
            try {
                await lane.prepare();
            } catch (error) {
                if (isAbort(error) || error.status === 410) throw error;
                refused.push(error.message);
                continue;
            }
            if (!isSupported(lane.type)) {
                refused.push(lane.type);
                continue;
            }
            this.#lanes.push(lane);
            this.#soundLane = lane;
            this.selectedAudio = index;
            break;
        }
        if (refused.length) {
            const what = this.#soundLane ? "A sound track was passed over" : "Playing without sound";
            this.onNotice(`${what}: ${refused[0]}`);
        }
    }

    /** The end of what the playlists list; a live one has none. */
    #lengthen() {
        if (this.#source.readyState !== "open") return;
        if ([...this.#source.sourceBuffers].some((buffer) => buffer.updating)) return;
        const ends = this.#lanes.map(({ playlist }) => {
            const last = playlist?.segments.at(-1);
            return last ? last.start + last.duration : 0;
        });
        const length = this.#lanes.every((lane) => lane.playlist?.ended ?? true) ? Math.max(...ends) : Infinity;
        const isShorter = length < this.#source.duration && this.#source.sourceBuffers.length > 0;
        if (length > 0 && this.#source.duration !== length && !isShorter) this.#source.duration = length;
    }

    /** Three targets before the end of a live playlist; 0 for everything that has a beginning. */
    #liveStart() {
        const { ended, isGrowing, segments, target } = this.#lanes[0].playlist;
        const last = segments.at(-1);
        return ended || isGrowing ? 0 : Math.max(0, last.start + last.duration - 3 * target);
    }

    // Playing.

    #seek() {
        if (!this.#isStill(this.#video.currentTime)) this.#still = { at: -1, since: 0, retries: 0 };
        for (const lane of this.#lanes) lane.reposition();
    }

    /** Gets the playhead over holes and out of standstills. */
    #watch() {
        const video = this.#video;
        const time = video.currentTime;
        const isWaiting = !video.ended && (video.seeking || video.readyState < 3);
        if (!isWaiting || !this.#isStill(time)) {
            this.#still = { at: time, since: performance.now(), retries: 0 };
            if (!isWaiting) return;
        }
        const stillFor = (performance.now() - this.#still.since) / 1000;
        // Decoders stop a little before the end of what is there.
        const hole = this.#holeAfter(time, stillFor > 0.5 ? 0.5 : 0.05);
        if (hole && this.#mayJump(hole)) {
            video.currentTime = hole.to + 0.01;
            return;
        }
        if (stillFor < patience || this.#still.retries >= 3) return;
        if (!video.seeking && !video.paused && (bufferedEnd(video.buffered, time) ?? 0) > time + 1) {
            // All is there, and the decoders wait for what was removed under them: a small seek starts them afresh.
            this.#still = { at: time + nudge, since: performance.now(), retries: this.#still.retries + 1 };
            video.currentTime = this.#still.at;
            return;
        }
        if (!this.#lanes.every((lane) => lane.hasPassed(time))) return;
        this.#still.since = performance.now();
        this.#still.retries += 1;
        for (const lane of this.#lanes) if (!lane.isBuffered(time)) lane.retry();
    }

    /** Whether the playhead has not moved since it began to wait, except by us. */
    #isStill(time) {
        return Math.abs(time - this.#still.at) < nudge / 10;
    }

    /** What lies between the media at the playhead and the next; null where at least `slack` is left to play. */
    #holeAfter(time, slack) {
        const ranges = this.#video.buffered;
        let from = time;
        for (let place = 0; place < ranges.length; place += 1) {
            const [start, end] = [ranges.start(place), ranges.end(place)];
            if (start > from) return { from, to: start };
            if (end <= from) continue;
            if (end > time + slack) return null;
            from = end;
        }
        return null;
    }

    #mayJump({ from, to }) {
        const inside = from + Math.min(0.1, (to - from) / 2);
        const isBuffered = (lane) => lane.isBuffered(inside);
        if (to - from <= holeLimit) return this.#lanes.every((lane) => lane.hasPassed(from) || isBuffered(lane));
        return this.#lanes.every((lane) => lane.isHole(inside) || isBuffered(lane));
    }

    #fail(error) {
        if (this.signal.aborted) return;
        this.#stop.abort();
        clearInterval(this.#timer);
        this.onError(error);
    }
}
