/**
 * Reads the events and time zones of an iCalendar text (RFC 5545, 3.1), as far as they are needed. Every line is taken
 * by itself.
 */

/** @typedef {{ params: string, value: string }} Property */
/** @typedef {Map<string, Property[]>} Component */

const eventProperties = 'UID SUMMARY LOCATION STATUS SEQUENCE DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID';
const wanted = new Map([
  ['VEVENT', new Set(eventProperties.split(' '))],
  ['VTIMEZONE', new Set(['TZID'])],
  ['STANDARD', new Set(['DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO'])],
  ['DAYLIGHT', new Set(['DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO'])],
]);
const noNames = new Set();
/**
 * The properties that hold times. Their values hold no colon, but the zone before them may: Outlook's `(UTC+01:00)
 * Amsterdam`.
 */
const times = new Set(['DTSTART', 'DTEND', 'RDATE', 'EXDATE', 'RECURRENCE-ID']);

/**
 * Reads a text.
 * @returns {{ events: Component[], zones: { name: string, changes: Component[] }[] } | undefined} undefined for a text
 *   that is no iCalendar file, or only the beginning of one
 */
export function readIcs(/** @type {string} */ text) {
  const unfolded = text.replace(/^\uFEFF/, '').replace(/(?:\r\n|\n|\r)[ \t]/g, '');
  if (!/^BEGIN:VCALENDAR\s*$/im.test(unfolded) || !/^END:VCALENDAR\s*$/im.test(unfolded)) return undefined;
  /** @type {Component[]} */
  const events = [];
  /** @type {{ name: string, changes: Component[] }[]} */
  const zones = [];
  /** @type {{ kind: string, component: Component, changes: Component[] }[]} */
  const open = [];
  for (const line of unfolded.split(/[\r\n]+/)) {
    const name = /^[a-z0-9-]{1,40}(?=[;:])/i.exec(line)?.[0].toUpperCase();
    if (name === undefined) continue;
    if (name === 'BEGIN') {
      open.push({ kind: line.slice(6).trim().toUpperCase(), component: new Map(), changes: [] });
    } else if (name === 'END') {
      const kind = line.slice(4).trim().toUpperCase();
      // A component that was left open within this one ends with it.
      const at = open.findLastIndex((one) => one.kind === kind);
      const [closed] = at < 0 ? [] : open.splice(at);
      if (closed === undefined) continue;
      if (kind === 'VEVENT') events.push(closed.component);
      if (kind === 'STANDARD' || kind === 'DAYLIGHT') open.at(-1)?.changes.push(closed.component);
      const zone = kind === 'VTIMEZONE' ? closed.component.get('TZID')?.[0] : undefined;
      if (zone !== undefined) zones.push({ name: plainText(zone.value), changes: closed.changes });
    } else {
      const within = open.at(-1);
      if (within === undefined || !(wanted.get(within.kind) ?? noNames).has(name)) continue;
      const colon = times.has(name) ? line.lastIndexOf(':') : colonOf(line);
      if (colon < 0) continue;
      const property = { params: line.slice(name.length, colon), value: line.slice(colon + 1).trim() };
      const list = within.component.get(name);
      if (list === undefined) within.component.set(name, [property]);
      else list.push(property);
    }
  }
  return { events, zones };
}

/** Returns the place where the value begins: at the first colon that is not quoted. */
function colonOf(/** @type {string} */ line) {
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return at;
  }
  return -1;
}

/** Returns the zone that a time names. */
export function zoneNamed(/** @type {Property} */ { params }) {
  const [, quoted, bare] = /;TZID=(?:"([^"]*)"|([^;]*))/i.exec(params) ?? [];
  const name = quoted ?? bare;
  return name === undefined ? undefined : plainText(name);
}

/** Returns a text without its escapes. */
export function plainText(/** @type {string} */ value) {
  return value.replace(/\\([\\;,nN])/g, (_, sign) => (sign === 'n' || sign === 'N' ? '\n' : sign)).trim();
}
