// Reads HLS playlists (RFC 8216): as much of them as a player needs.

/** Segments of a playlist that are looked at: more than a week of 4 s segments. */
const segmentLimit = 200_000;

/** `A=1,B="x,y"` as an object of texts, quotes taken off. */
export function attributes(text) {
    const found = {};
    for (const [, name, value] of text.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^",]*)/g)) {
        found[name] = value.startsWith('"') ? value.slice(1, -1) : value;
    }
    return found;
}

function* lines(text) {
    for (const line of text.split(/\r?\n/)) {
        const trimmed = line.trim();
        if (trimmed) yield trimmed;
    }
}

/** The part after the tag's colon; null for other tags. */
function tag(line, name) {
    return line.startsWith(`#${name}:`) ? line.slice(name.length + 2) : null;
}

function check(text) {
    if (!text.replace(/^\uFEFF/, "").startsWith("#EXTM3U")) throw new Error("not a playlist: it does not begin with #EXTM3U");
}

/** Variants and renditions of a multivariant playlist; a media playlist becomes one variant. */
export function parseMaster(text, base) {
    check(text);
    const master = { variants: [], audio: [], subtitles: [], independent: false };
    if (text.includes("#EXTINF:")) {
        master.variants.push({ url: base, codecs: [], bandwidth: 0 });
        return master;
    }
    let pending = null;
    for (const line of lines(text)) {
        const media = tag(line, "EXT-X-MEDIA");
        const variant = tag(line, "EXT-X-STREAM-INF");
        if (media !== null) {
            const rendition = parseRendition(attributes(media), base);
            if (rendition.type === "AUDIO") master.audio.push(rendition);
            if (rendition.type === "SUBTITLES" && rendition.url) master.subtitles.push(rendition);
        } else if (variant !== null) {
            pending = parseVariant(attributes(variant));
        } else if (!line.startsWith("#") && pending) {
            master.variants.push({ ...pending, url: new URL(line, base).href });
            pending = null;
        }
    }
    return master;
}

function parseRendition(found, base) {
    return {
        type: found.TYPE,
        group: found["GROUP-ID"],
        name: found.NAME ?? found.LANGUAGE ?? "",
        language: found.LANGUAGE ?? "",
        channels: found.CHANNELS ?? "",
        isDefault: found.DEFAULT === "YES",
        isForced: found.FORCED === "YES",
        url: found.URI ? new URL(found.URI, base).href : null,
    };
}

function parseVariant(found) {
    const [width, height] = (found.RESOLUTION ?? "").split("x").map(Number);
    return {
        bandwidth: Number(found.BANDWIDTH) || 0,
        codecs: (found.CODECS ?? "").split(",").map((codec) => codec.trim()).filter(Boolean),
        supplemental: found["SUPPLEMENTAL-CODECS"] ?? "",
        width: width || 0,
        height: height || 0,
        frameRate: Number(found["FRAME-RATE"]) || 0,
        range: found["VIDEO-RANGE"] ?? "",
        audioGroup: found.AUDIO ?? null,
        subtitlesGroup: found.SUBTITLES ?? null,
    };
}

/**
 * Segments with their starts in seconds from the playlist's first.
 *
 * `map` is shared by the segments that it is for, so that a new section shows as a new object.
 */
export function parseMedia(text, base) {
    check(text);
    const playlist = { segments: [], ended: false, target: 1, sequence: 0, duration: 0, isGrowing: false };
    let next = {};
    let map = null;
    let discontinuity = 0;
    let lastRange = null;
    for (const line of lines(text)) {
        let value;
        if (!line.startsWith("#")) {
            if (next.duration === undefined || playlist.segments.length >= segmentLimit) continue;
            const url = new URL(line, base).href;
            const range = byteRange(next.range, lastRange?.url === url ? lastRange.range.last + 1 : 0);
            if (range) lastRange = { url, range };
            playlist.segments.push({
                url, range, map, discontinuity,
                duration: next.duration,
                start: playlist.duration,
                sequence: playlist.sequence + playlist.segments.length,
                isGap: next.isGap ?? false,
            });
            playlist.duration += next.duration;
            next = {};
        } else if ((value = tag(line, "EXTINF")) !== null) {
            next.duration = Math.max(0, parseFloat(value) || 0);
        } else if ((value = tag(line, "EXT-X-BYTERANGE")) !== null) {
            next.range = value;
        } else if ((value = tag(line, "EXT-X-MAP")) !== null) {
            const found = attributes(value);
            if (found.URI) map = { url: new URL(found.URI, base).href, range: byteRange(found.BYTERANGE, 0) };
        } else if ((value = tag(line, "EXT-X-TARGETDURATION")) !== null) {
            playlist.target = Math.max(1, Number(value) || 1);
        } else if ((value = tag(line, "EXT-X-MEDIA-SEQUENCE")) !== null) {
            playlist.sequence = Number(value) || 0;
        } else if ((value = tag(line, "EXT-X-DISCONTINUITY-SEQUENCE")) !== null) {
            discontinuity = Number(value) || 0;
        } else if (line === "#EXT-X-DISCONTINUITY") {
            discontinuity += 1;
        } else if (line === "#EXT-X-GAP") {
            next.isGap = true;
        } else if (line === "#EXT-X-PLAYLIST-TYPE:EVENT") {
            playlist.isGrowing = true;
        } else if (line === "#EXT-X-ENDLIST") {
            playlist.ended = true;
        }
    }
    return playlist;
}

/** `length@offset`; without an offset it follows what came before. */
function byteRange(text, following) {
    const match = /^(\d+)(?:@(\d+))?$/.exec(text ?? "");
    if (!match) return null;
    const first = match[2] === undefined ? following : Number(match[2]);
    return { first, last: first + Number(match[1]) - 1 };
}

/**
 * Gives a reloaded playlist the old one's times: starts are counted from the first playlist that was read.
 * A playlist that shares no segment with the old one follows it.
 */
export function continued(playlist, old) {
    if (!old?.segments.length || !playlist.segments.length) return playlist;
    const first = playlist.segments[0];
    const known = old.segments.find((segment) => segment.sequence === first.sequence);
    const last = old.segments.at(-1);
    const shift = known ? known.start : last.start + last.duration;
    for (const segment of playlist.segments) segment.start += shift;
    return playlist;
}

/** The place of the segment that holds `time`; the nearest one outside of the playlist. */
export function indexAt(segments, time) {
    let low = 0;
    let high = segments.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (segments[middle].start <= time) low = middle;
        else high = middle - 1;
    }
    return Math.max(0, low);
}
