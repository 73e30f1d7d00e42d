// Bitmap subtitles: the pictures of a track, drawn over the video where the disc has them.

import { isAbort, load, pause } from "./fetching.js";

/** Seconds of cues around the playhead that are loaded. */
const ahead = 20;

/** Where the picture lies inside of a video element, in its pixels. */
export function pictureArea(video) {
    const { clientWidth, clientHeight, videoWidth, videoHeight } = video;
    if (!videoWidth || !videoHeight) return { left: 0, top: 0, width: clientWidth, height: clientHeight };
    const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight);
    const [width, height] = [videoWidth * scale, videoHeight * scale];
    return { left: (clientWidth - width) / 2, top: (clientHeight - height) / 2, width, height };
}

/** A file below a base, with the base's query: a token must not get lost. */
function below(base, name) {
    const found = new URL(name, base);
    found.search = new URL(base).search;
    return found.href;
}

/** Shows one bitmap track at a time. */
export class Pictures {
    #video;
    #layer;
    #stop = null;
    /** Cues by the windows that they came in. */
    #windows = new Map();
    #shown = "";
    onError = () => {};

    constructor(video, layer) {
        this.#video = video;
        this.#layer = layer;
        addEventListener("resize", () => this.#draw(true));
        video.addEventListener("seeked", () => this.#draw());
    }

    /** Shows the track whose files lie below `base`; null shows nothing. */
    show(base) {
        this.#stop?.abort();
        this.#stop = null;
        this.#windows.clear();
        this.#draw(true);
        if (!base) return;
        this.#stop = new AbortController();
        this.#run(base, this.#stop.signal).catch((error) => {
            if (!isAbort(error)) this.onError(`Subtitles: ${error.message}`);
        });
    }

    async #run(base, signal) {
        const list = await load(below(base, "cues.json"), { as: "json", signal });
        this.#watch(signal);
        for (;;) {
            const time = this.#video.currentTime;
            const wanted = list.windows.filter((one) => one.end > time - 1 && one.start < time + ahead);
            const next = wanted.find((one) => !this.#windows.has(one.cues));
            if (!next) {
                for (const name of this.#windows.keys()) {
                    if (!wanted.some((one) => one.cues === name)) this.#windows.delete(name);
                }
                await pause(0.5, signal);
                continue;
            }
            // One that cannot be read costs its own cues only.
            this.#windows.set(next.cues, []);
            try {
                const found = await load(below(base, next.cues), { as: "json", signal });
                this.#windows.set(next.cues, found.cues.map((cue) => ({ ...cue, url: below(base, cue.image) })));
                for (const cue of this.#windows.get(next.cues)) new Image().src = cue.url;
            } catch (error) {
                if (isAbort(error)) throw error;
                this.onError(`Subtitles: ${error.message}`);
            }
        }
    }

    #watch(signal) {
        const step = () => {
            if (signal.aborted) return;
            this.#draw();
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    #draw(always = false) {
        const time = this.#video.currentTime;
        const cues = new Map();
        for (const cue of [...this.#windows.values()].flat()) {
            // A picture that reaches over a boundary stands in both windows.
            if (cue.start <= time && time < cue.end) cues.set(cue.url, cue);
        }
        const key = [...cues.keys()].join(" ");
        if (key === this.#shown && !always) return;
        this.#shown = key;
        const area = pictureArea(this.#video);
        const images = [...cues.values()].map((cue) => {
            const image = new Image();
            image.src = cue.url;
            image.alt = "";
            image.style.left = `${area.left + cue.place.x * area.width}px`;
            image.style.top = `${area.top + cue.place.y * area.height}px`;
            image.style.width = `${cue.place.width * area.width}px`;
            image.style.height = `${cue.place.height * area.height}px`;
            return image;
        });
        this.#layer.replaceChildren(...images);
    }
}
