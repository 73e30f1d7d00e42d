// Requests that are tried again as the server asks, and time to wait in between.

/** A response that trying again does not change. `status` is 0 where there was no response at all. */
export class FetchError extends Error {
    constructor(status, message) {
        super(message);
        this.name = "FetchError";
        this.status = status;
    }
}

/** Waits `seconds`; rejects as soon as `signal` is aborted. */
export function pause(seconds, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(aborted());
        const stop = () => {
            clearTimeout(timer);
            reject(aborted());
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve();
        }, seconds * 1000);
        signal?.addEventListener("abort", stop, { once: true });
    });
}

export const aborted = () => new DOMException("stopped", "AbortError");
export const isAbort = (error) => error?.name === "AbortError";

/** Most tries of one object: with the longest pauses about two minutes. */
const attempts = 20;
const longestPause = 10;

/** Seconds that a Retry-After field asks for (a number, or a date); null where it says nothing. */
export function retryAfter(text, now = Date.now()) {
    if (!text) return null;
    if (/^\s*\d+\s*$/.test(text)) return Number(text);
    const date = Date.parse(text);
    return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}

/** What the first tries wait; Retry-After goes before it. */
const growing = (attempt) => Math.min(longestPause, 0.25 * 2 ** Math.min(attempt, 6));

/**
 * Loads an object: "text", "json" or "bytes".
 *
 * 503, 429, 502, 504 and lost connections are tried again; every other status throws a FetchError.
 * `onWait` is told the seconds of each pause.
 */
export async function load(url, { as = "text", signal, range, onWait } = {}) {
    for (let attempt = 0; ; attempt += 1) {
        let wait = growing(attempt);
        let failure;
        try {
            const headers = range ? { Range: `bytes=${range.first}-${range.last}` } : {};
            const response = await fetch(url, { signal, headers, credentials: "same-origin" });
            if (response.ok) {
                if (as === "bytes") return sliced(new Uint8Array(await response.arrayBuffer()), response.status, range);
                return as === "json" ? await response.json() : await response.text();
            }
            failure = new FetchError(response.status, await reason(response));
            if (![429, 502, 503, 504].includes(response.status)) throw failure;
            wait = retryAfter(response.headers.get("Retry-After")) ?? wait;
        } catch (error) {
            if (isAbort(error) || error === failure) throw error;
            if (error instanceof SyntaxError) throw new FetchError(200, `${url}: ${error.message}`);
            failure = new FetchError(0, "the server does not answer");
        }
        if (attempt + 1 >= attempts) throw failure;
        wait = Math.min(longestPause, Math.max(0.1, wait));
        onWait?.(wait);
        await pause(wait, signal);
    }
}

/** A server that ignores ranges sends everything. */
function sliced(bytes, status, range) {
    if (!range || status === 206) return bytes;
    return bytes.subarray(range.first, range.last + 1);
}

/** The first line of an error's body, which says what is wrong. */
async function reason(response) {
    const text = await response.text().catch(() => "");
    const line = text.split("\n", 1)[0].slice(0, 200);
    return line && !line.startsWith("<") ? line : `status ${response.status}`;
}
