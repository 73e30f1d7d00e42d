// Reads WebVTT: cues with their times on the title's timeline, texts and settings.

/** Cues of one file that are kept, and characters of one cue. */
const cueLimit = 20_000;
const textLimit = 4_000;

/** Seconds of `hh:mm:ss.ttt` or `mm:ss.ttt`; null for anything else. */
export function seconds(text) {
    const match = /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/.exec(text.trim());
    if (!match) return null;
    return Number(match[1] ?? 0) * 3600 + Number(match[2]) * 60 + Number(match[3]) + Number(match[4]) / 1000;
}

/** Seconds that X-TIMESTAMP-MAP adds to each time of the file: its MPEG-2 time less its local time. */
export function timestampOffset(header) {
    const line = /^X-TIMESTAMP-MAP=(.*)$/m.exec(header)?.[1];
    if (!line) return 0;
    const ticks = /MPEGTS:(\d+)/.exec(line)?.[1];
    const local = seconds(/LOCAL:([\d:.]+)/.exec(line)?.[1] ?? "");
    if (ticks === undefined || local === null) return 0;
    return Number(ticks) / 90_000 - local;
}

/** The cues of a WebVTT file in file order; broken blocks are left out. */
export function parseCues(text) {
    const clean = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
    if (!/^WEBVTT(?:[ \t\n]|$)/.test(clean)) throw new Error("not WebVTT: it does not begin with WEBVTT");
    const [header, ...blocks] = clean.split(/\n{2,}/);
    const offset = timestampOffset(header);
    const cues = [];
    for (const block of blocks) {
        if (cues.length >= cueLimit) break;
        const cue = parseBlock(block.split("\n").filter((line, place) => place > 0 || line !== ""), offset);
        if (cue) cues.push(cue);
    }
    return cues;
}

function parseBlock(lines, offset) {
    const timing = lines.findIndex((line) => line.includes("-->"));
    // An identifier may stand before the times; NOTE, STYLE and REGION have none.
    if (timing < 0 || timing > 1) return null;
    const match = /^(\S+)[ \t]+-->[ \t]+(\S+)(.*)$/.exec(lines[timing].trim());
    if (!match) return null;
    const start = seconds(match[1]);
    const end = seconds(match[2]);
    if (start === null || end === null || end <= start) return null;
    const text = lines.slice(timing + 1).join("\n").trim().slice(0, textLimit);
    if (!text) return null;
    return {
        id: timing === 1 ? lines[0] : "",
        start: start + offset,
        end: end + offset,
        text,
        settings: parseSettings(match[3]),
    };
}

function parseSettings(text) {
    const settings = {};
    for (const item of text.trim().split(/[ \t]+/)) {
        const mark = item.indexOf(":");
        if (mark > 0) settings[item.slice(0, mark)] = item.slice(mark + 1);
    }
    return settings;
}

const percentage = (text) => {
    const match = /^(\d+(?:\.\d+)?)%$/.exec(text ?? "");
    return match && Number(match[1]) <= 100 ? Number(match[1]) : null;
};

/** A cue for a text track of the browser, with what it understands of the settings. */
export function trackCue(cue) {
    const made = new VTTCue(cue.start, cue.end, cue.text);
    made.id = cue.id;
    const { line, position, size, align, vertical } = cue.settings;
    if (["start", "center", "end", "left", "right"].includes(align)) made.align = align;
    if (["rl", "lr"].includes(vertical)) made.vertical = vertical;
    const linePlace = (line ?? "").split(",")[0];
    const lineShare = percentage(linePlace);
    if (lineShare !== null) {
        made.snapToLines = false;
        made.line = lineShare;
    } else if (/^-?\d+$/.test(linePlace)) made.line = Number(linePlace);
    const place = percentage((position ?? "").split(",")[0]);
    if (place !== null) made.position = place;
    const width = percentage(size);
    if (width !== null) made.size = width;
    return made;
}
