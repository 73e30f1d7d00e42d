// Looks into fragmented MP4: which tracks an initialization section has, and when a segment starts.

/** The boxes of `bytes` between two offsets; stops at the first that does not fit. */
function* boxes(view, from, to) {
    let at = from;
    while (at + 8 <= to) {
        let size = view.getUint32(at);
        let header = 8;
        if (size === 1 && at + 16 <= to) {
            size = Number(view.getBigUint64(at + 8));
            header = 16;
        } else if (size === 0) size = to - at;
        if (size < header || at + size > to) return;
        const type = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at + 4, 4));
        yield { type, from: at + header, to: at + size };
        at += size;
    }
}

function child(view, parent, type) {
    if (!parent) return null;
    for (const box of boxes(view, parent.from, parent.to)) if (box.type === type) return box;
    return null;
}

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Tracks of an initialization section: number, ticks a second, "vide" or "soun", sample entry, MPEG-4 object type. */
export function tracks(bytes) {
    const view = viewOf(bytes);
    const movie = child(view, { from: 0, to: bytes.byteLength }, "moov");
    const found = [];
    if (!movie) return found;
    for (const track of boxes(view, movie.from, movie.to)) {
        if (track.type !== "trak") continue;
        const header = child(view, track, "tkhd");
        const media = child(view, track, "mdia");
        const mediaHeader = child(view, media, "mdhd");
        const handler = child(view, media, "hdlr");
        const table = child(view, child(view, child(view, media, "minf"), "stbl"), "stsd");
        if (!header || !mediaHeader || !handler || !table) continue;
        const entry = boxes(view, table.from + 8, table.to).next().value;
        if (!entry || header.to - header.from < 24 || mediaHeader.to - mediaHeader.from < 24) continue;
        found.push({
            id: view.getUint32(header.from + (view.getUint8(header.from) === 1 ? 20 : 12)),
            timescale: view.getUint32(mediaHeader.from + (view.getUint8(mediaHeader.from) === 1 ? 20 : 12)),
            kind: text(view, handler.from + 8),
            entry: entry.type,
            objectType: entry.type === "mp4a" ? objectType(view, entry) : null,
        });
    }
    return found;
}

function text(view, at) {
    return String.fromCharCode(...[0, 1, 2, 3].map((place) => view.getUint8(at + place)));
}

/** The objectTypeIndication of an `esds` box: 0x40 for AAC, 0x6B for MP3. */
function objectType(view, entry) {
    const descriptor = child(view, { from: entry.from + 28, to: entry.to }, "esds");
    if (!descriptor) return null;
    // ES_Descriptor (tag 3) up to the DecoderConfigDescriptor (tag 4), whose sizes may be padded with 0x80.
    for (let at = descriptor.from + 4; at + 3 < descriptor.to && at < descriptor.from + 40; at += 1) {
        if (view.getUint8(at) !== 4) continue;
        let place = at + 1;
        while (place < descriptor.to && view.getUint8(place) & 0x80) place += 1;
        if (place + 1 < descriptor.to) return view.getUint8(place + 1);
    }
    return null;
}

/** Seconds at which the segment's first track (pictures before sound) starts to be decoded; null where it says nothing. */
export function decodeStart(bytes, known) {
    const view = viewOf(bytes);
    const starts = new Map();
    for (const fragment of boxes(view, 0, bytes.byteLength)) {
        if (fragment.type !== "moof") continue;
        for (const track of boxes(view, fragment.from, fragment.to)) {
            if (track.type !== "traf") continue;
            const header = child(view, track, "tfhd");
            const time = child(view, track, "tfdt");
            if (!header || !time || header.to - header.from < 8 || time.to - time.from < 8) continue;
            const id = view.getUint32(header.from + 4);
            const isLong = view.getUint8(time.from) === 1 && time.to - time.from >= 12;
            const ticks = isLong ? Number(view.getBigUint64(time.from + 4)) : view.getUint32(time.from + 4);
            if (!starts.has(id)) starts.set(id, ticks);
        }
        break;
    }
    const ordered = [...known].sort((a, b) => (a.kind === "vide" ? 0 : 1) - (b.kind === "vide" ? 0 : 1));
    const lead = ordered.find((track) => starts.has(track.id) && track.timescale > 0);
    return lead ? starts.get(lead.id) / lead.timescale : null;
}

const soundNames = /^(mp4a|ac-3|ec-3|ac-4|flac|opus|alac|dts|mhm|mha|\.mp3|vorbis)/i;
export const isSound = (codec) => soundNames.test(codec);

/** What differs between a sample entry's name and how CODECS begins. */
const entryNames = { "fLaC": "flac", "Opus": "opus", "hev1": "hvc1", "dvhe": "dvh1" };
const normal = (name) => (entryNames[name] ?? name).toLowerCase();

/** The MIME type for a SourceBuffer, each track by the entry of CODECS that fits it; null where one has none. */
export function mimeType(found, codecs) {
    const names = [];
    for (const track of found) {
        const fitting = codecs.filter((codec) => normal(codec.split(".")[0]) === normal(track.entry));
        const exact = track.objectType === null ? null
            : fitting.find((codec) => codec.split(".")[1]?.toLowerCase() === track.objectType.toString(16));
        const name = exact ?? fitting[0];
        if (!name) return null;
        if (!names.includes(name)) names.push(name);
    }
    if (!names.length) return null;
    const kind = found.some((track) => track.kind === "vide") ? "video/mp4" : "audio/mp4";
    return `${kind}; codecs="${names.join(",")}"`;
}
