/**
 * Finds zones by the words that Outlook shows for them, where a feed declares nothing: `(UTC+01:00) Amsterdam, Berlin,
 * Bern`.
 */

/**
 * The names that are not a city of the IANA names, where clocks change; the others go by the offset that is written before
 * them.
 */
const regions = new Map([
  ['aleutian islands', 'America/Adak'],
  ['alaska', 'America/Anchorage'],
  ['atlantic time', 'America/Halifax'],
  ['baja california', 'America/Tijuana'],
  ['central time', 'America/Chicago'],
  ['chatham islands', 'Pacific/Chatham'],
  ['easter island', 'Pacific/Easter'],
  ['eastern time', 'America/New_York'],
  ['greenland', 'America/Godthab'],
  ['haiti', 'America/Port-au-Prince'],
  ['indiana', 'America/Indianapolis'],
  ['lord howe island', 'Australia/Lord_Howe'],
  ['mountain time', 'America/Denver'],
  ['newfoundland', 'America/St_Johns'],
  ['norfolk island', 'Pacific/Norfolk'],
  ['pacific time', 'America/Los_Angeles'],
  ['saint pierre and miquelon', 'America/Miquelon'],
  ['turks and caicos', 'America/Grand_Turk'],
]);
const minuteMs = 60_000;
const maxNameLength = 200;
/** The most places that are looked for in a name; Outlook's names list six cities at most. */
const maxPlaces = 10;

/** The offset before a name: `(UTC+01:00)`, and `(GMT+01.00)` in older versions. */
const offsetWritten = /^\((?:UTC|GMT) ?(?:([+-]) ?(\d\d?)[:.]?(\d\d))?\) ?/i;

/**
 * Returns how far clocks are ahead by the offset written before a name, in milliseconds; undefined where none is
 * written.
 */
export function statedOffset(name: string) {
  const [all, sign, hours = '0', minutes = '0'] = offsetWritten.exec(name) ?? [];
  if (all === undefined) return undefined;
  const ms = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return sign === '-' ? -ms : ms;
}

/** A name that is an offset and nothing else: `GMT+0100`, `UTC+2`, `+01:00`, `Z`. */
const nothingButOffset =
  /^(?:(?:UTC|GMT|UT)(?:\/(?:UTC|GMT))?)? ?([+\-\u2212]) ?(\d{1,2})(?:[:.]?([0-5]\d))?(?:[:.]?00)?$/i;

/** Returns how far clocks are ahead in a zone whose name is an offset, in milliseconds; they are never changed. */
export function namedByOffset(name: string) {
  if (/^z$/i.test(name)) return 0;
  const [, sign, hours = '0', minutes = '0'] = nothingButOffset.exec(name) ?? [];
  if (sign === undefined || Number(hours) > 14) return undefined;
  const ms = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return sign === '+' ? ms : -ms;
}

/**
 * Finds the first of a name's places that is known.
 * @param find finds a zone by an IANA name, if its
 * clocks are usually as far ahead as is stated
 */
export function shownZone<Zone>(
  name: string,
  find: (timeZone: string, stated: number | undefined) => Zone | undefined,
): Zone | undefined {
  const stated = statedOffset(name);
  const places = name
    .slice(0, maxNameLength)
    .replace(offsetWritten, '')
    .toLowerCase()
    .split(/[,;/(]/);
  for (const place of places.slice(0, maxPlaces)) {
    const timeZone = regions.get(place.trim()) ?? cities().get(place.trim());
    const zone = timeZone === undefined ? undefined : find(timeZone, stated);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

let knownCities: Map<string, string> | undefined;

/** Returns the IANA names by the cities in them, in lower case. */
function cities() {
  knownCities ??= new Map(
    Intl.supportedValuesOf('timeZone').map((name) => {
      const city = name.slice(name.lastIndexOf('/') + 1);
      return [city.replaceAll('_', ' ').toLowerCase(), name];
    }),
  );
  return knownCities;
}
