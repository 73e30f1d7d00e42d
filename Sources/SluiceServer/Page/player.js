// The player: HLS of the browser's own where it has it, else our feeder; sound and subtitle choice for both.

import { Captions } from "./captions.js";
import { Feeder, canFeed } from "./feeder.js";
import { isAbort, load } from "./fetching.js";
import { Pictures } from "./pictures.js";
import { parseMaster } from "./playlist.js";
import { clock, size, trackName } from "./figures.js";

const hlsType = "application/vnd.apple.mpegurl";
/** Times a title is opened again because its plan changed, for each time a person opens it. */
const reopenLimit = 3;
/** Values of the list of subtitles from which on they are bitmap tracks. */
const bitmapValue = 1000;

/** Whether the browser says that it plays HLS. */
export const hasNative = () => document.createElement("video").canPlayType(hlsType) !== "";

/** Codecs that not every browser has, as the server names them, with types that a browser can be asked about. */
const probes = {
    ac3: 'audio/mp4; codecs="ac-3"',
    alac: 'audio/mp4; codecs="alac"',
    av1: 'video/mp4; codecs="av01.0.04M.08"',
    eac3: 'audio/mp4; codecs="ec-3"',
    flac: 'audio/mp4; codecs="fLaC"',
    hevc: 'video/mp4; codecs="hvc1.1.6.L93.B0"',
    mp3: 'audio/mp4; codecs="mp4a.6B"',
    opus: 'audio/mp4; codecs="Opus"',
    vp9: 'video/mp4; codecs="vp09.00.10.08"',
};

/** The `caps` option: what this browser really decodes, which its name does not tell. Empty where nothing can be asked. */
function capabilities() {
    const source = globalThis.ManagedMediaSource ?? globalThis.MediaSource;
    if (!source) return "";
    return `caps=${["aac", ...Object.keys(probes).filter((name) => source.isTypeSupported(probes[name]))].join("+")}`;
}

/** The same title for this browser and in a shape: its options component exchanged. */
export function shaped(url, shape) {
    const options = [capabilities(), shape === "muxed" ? "shape=muxed" : ""].filter(Boolean).join(",");
    return url.replace(/\/~[^/]*\/master\.m3u8(?=$|\?)/, `/~${options}/master.m3u8`);
}

/** The `engine` and `shape` of what is played stand in the data attributes of the player's section. */
export class Player {
    onMaster = () => {};
    #section;
    #video;
    #captions;
    #feeder = null;
    #open = null;
    #reopens = 0;
    #subtitles = [];
    #pictures;
    /** Bitmap tracks: a label and where their files lie. */
    #bitmaps = [];

    constructor(section) {
        this.#section = section;
        this.#video = section.querySelector("video");
        this.#captions = new Captions(this.#video);
        this.#captions.onError = (text) => this.#say(text, "notice");
        this.#pictures = new Pictures(this.#video, section.querySelector(".pictures"));
        this.#pictures.onError = (text) => this.#say(text, "notice");
        this.#video.addEventListener("error", () => this.#mediaError());
        this.#video.addEventListener("loadedmetadata", () => this.#listSubtitles());
        this.#video.addEventListener("timeupdate", () => this.#measure());
        this.#video.addEventListener("progress", () => this.#measure());
        this.#video.addEventListener("playing", () => this.#say(""));
        this.#field("audio").addEventListener("change", (event) => this.#selectAudio(Number(event.target.value)));
        this.#field("subtitles").addEventListener("change", (event) => this.#selectSubtitles(event.target.value));
    }

    /** Plays a multivariant playlist. `engine` is "auto", "native" or "feeder", `shape` "renditions" or "muxed". */
    play(url, { engine = "auto", shape = "renditions", at = 0, audio = null, reopened = false } = {}) {
        this.close();
        if (!reopened) this.#reopens = 0;
        const isNative = engine === "native" || (engine === "auto" && hasNative() && audio === null) || !canFeed();
        const used = isNative ? "native" : "feeder";
        this.#open = { url: shaped(url, shape), plain: url, engine, shape, used };
        this.#section.dataset.engine = used;
        this.#section.dataset.shape = shape;
        this.#say("Opening …");
        const opened = isNative ? this.#playNative(this.#open, at) : this.#feed(this.#open, at, audio);
        opened.catch((error) => this.#failed(error));
    }

    close() {
        this.#feeder?.close();
        this.#feeder = null;
        this.#captions.show(null);
        this.#pictures.show(null);
        this.#bitmaps = [];
        if (this.#video.src) {
            this.#video.removeAttribute("src");
            this.#video.load();
        }
        this.#open = null;
        this.#options("audio", []);
        this.#options("subtitles", []);
        this.#subtitles = [];
    }

    async #playNative(open, at) {
        const video = this.#video;
        video.src = open.url;
        if (at > 0) video.currentTime = at;
        this.#start();
        const master = parseMaster(await load(open.url), open.url);
        if (this.#open !== open) return;
        this.#opened(master);
        // Browsers that let pages choose a sound track are rare: the feeder takes over when another one is wanted.
        if (canFeed() || video.audioTracks) this.#listAudio(master.audio, master.audio.findIndex((one) => one.isDefault));
    }

    async #feed(open, at, audio) {
        const feeder = new Feeder(this.#video);
        this.#feeder = feeder;
        feeder.onError = (error) => this.#failed(error);
        feeder.onNotice = (text) => this.#say(text, "notice");
        const master = load(open.url).then((text) => parseMaster(text, open.url));
        master.catch(() => {});
        await feeder.open(open.url, { start: at, audio });
        if (this.#open !== open) return;
        this.#opened(await master);
        this.#listAudio(feeder.audio, feeder.selectedAudio);
        this.#start();
    }

    /** Browsers may want a gesture first: then the picture waits for one. */
    #start() {
        this.#video.play().catch((error) => {
            if (error.name === "NotAllowedError") this.#say("Press play to start", "notice");
        });
    }

    #opened(master) {
        this.#subtitles = master.subtitles;
        this.#listSubtitles();
        this.#listBitmaps(this.#open).catch(() => {});
        this.onMaster(master);
    }

    /** Playlists have no name for bitmap tracks: the title's own description lists them. */
    async #listBitmaps(open) {
        const url = open.url.replace(/\/master\.m3u8(?=$|\?)/, "/title.json");
        if (url === open.url) return;
        const title = await load(url, { as: "json" });
        if (this.#open !== open || !title.images?.length) return;
        this.#bitmaps = title.images.map((one, place) => {
            const base = new URL(`${title.plan}/${one.rendition}/`, new URL(url, location.href));
            base.search = new URL(url, location.href).search;
            return { label: one.title || one.language || `Pictures ${place + 1}`, base: base.href };
        });
        this.#listSubtitles();
    }

    // Errors.

    #mediaError() {
        const code = this.#video.error?.code;
        if (!this.#open || !this.#video.getAttribute("src")) return;
        const error = new Error(this.#video.error?.message || `media error ${code}`);
        // What the browser's own player refuses, ours may take.
        if (this.#open.used === "native" && this.#open.engine === "auto" && canFeed()) {
            const { plain, shape } = this.#open;
            const at = this.#video.currentTime;
            this.play(plain, { engine: "feeder", shape, at });
            return;
        }
        this.#failed(error);
    }

    #failed(error) {
        if (isAbort(error) || !this.#open) return;
        // 410: the file changed, and with it every address below the master playlist.
        if (error.status === 410 && this.#reopens < reopenLimit) {
            this.#reopens += 1;
            const { plain, engine, shape } = this.#open;
            this.play(plain, { engine, shape, at: this.#video.currentTime, reopened: true });
            return;
        }
        this.#say(error.message, "error");
    }

    // Tracks.

    #listAudio(renditions, selected) {
        const names = renditions.map((one) => trackName(one));
        this.#options("audio", renditions.length > 1 ? names.map((name, index) => [index, name]) : [], selected ?? 0);
    }

    #selectAudio(index) {
        const own = this.#video.audioTracks;
        if (this.#feeder) this.#feeder.selectAudio(index);
        else if (own?.length > 1) for (let place = 0; place < own.length; place += 1) own[place].enabled = place === index;
        else if (this.#open) {
            const { plain, shape } = this.#open;
            this.play(plain, { engine: "feeder", shape, at: this.#video.currentTime, audio: index });
        }
    }

    /** The text tracks that the browser made of renditions itself. */
    get #nativeTexts() {
        const isText = (track) => ["subtitles", "captions"].includes(track.kind) && track !== this.#captions.track;
        return [...this.#video.textTracks].filter(isText);
    }

    #listSubtitles() {
        const own = this.#nativeTexts;
        const names = own.length ? own.map((one) => one.label || one.language) : this.#subtitles.map(trackName);
        const preset = own.length ? own.findIndex((one) => one.mode === "showing")
            : this.#subtitles.findIndex((one) => one.isDefault);
        const list = names.map((name, index) => [index, name || `Subtitles ${index + 1}`]);
        this.#bitmaps.forEach((one, place) => list.push([bitmapValue + place, one.label]));
        this.#options("subtitles", list.length ? [[-1, "Off"], ...list] : [], preset);
        if (!own.length) this.#captions.show(this.#subtitles[preset] ?? null);
    }

    #selectSubtitles(value) {
        const own = this.#nativeTexts;
        this.#pictures.show(this.#bitmaps[Number(value) - bitmapValue]?.base ?? null);
        own.forEach((track, place) => {
            track.mode = place === Number(value) ? "showing" : "disabled";
        });
        if (!own.length) this.#captions.show(this.#subtitles[Number(value)] ?? null);
    }

    // What the page shows.

    #field(name) {
        return this.#section.querySelector(`[name=${name}]`);
    }

    #options(name, list, selected = 0) {
        const field = this.#field(name);
        field.replaceChildren(...list.map(([value, label]) => new Option(label, value, false, value === selected)));
        field.closest("label").hidden = list.length === 0;
    }

    #say(text, kind = "") {
        const line = this.#section.querySelector(".message");
        line.textContent = text;
        line.dataset.kind = kind;
    }

    #measure() {
        const { buffered, currentTime } = this.#video;
        let ahead = 0;
        for (let place = 0; place < buffered.length; place += 1) {
            if (buffered.start(place) <= currentTime && buffered.end(place) > currentTime) {
                ahead = buffered.end(place) - currentTime;
            }
        }
        const quality = this.#video.getVideoPlaybackQuality?.();
        const facts = [
            this.#section.dataset.engine === "native" ? "the browser's own HLS" : "fed by this page",
            `${ahead.toFixed(1)} s ahead`,
            quality && `${quality.droppedVideoFrames} of ${quality.totalVideoFrames} frames dropped`,
            this.#feeder && size(this.#feeder.bytes),
            clock(currentTime),
        ];
        this.#section.querySelector(".measures").textContent = facts.filter(Boolean).join(" · ");
    }
}
