/**
 * The headers of clients that poll one address with firmware of their own. This table alone defines what clients send
 * under which name: a new client is a new row. Names were read in the sources that `by` gives.
 */

/** Headers as Node hands them out: names in lower case. */
type PlainHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One value that clients send, and where. */
interface SaidName {
  readonly says:
    | 'key'
    | 'batteryMv'
    | 'batteryPercent'
    | 'rssi'
    | 'firmware'
    | 'width'
    | 'height'
    | 'held'
    | 'configAt';
  readonly header: string;
  /** The field, where the header holds a JSON object. */
  readonly field?: string;
  /** How the value is written where it is not a plain one. */
  readonly as?: 'bearer' | 'volts';
  /** Who sends it. */
  readonly by: string;
}

/** The headers that are read of a call; of several names for one thing the first that is there counts. */
export const saidNames: readonly SaidName[] = [
  { says: 'key', header: 'authorization', as: 'bearer', by: 'anything that can set a header; esp32-photoframe' },
  { says: 'key', header: 'x-screen-name', by: 'hokku_epaper, which has no other header to set' },
  { says: 'batteryMv', header: 'x-battery-mv', by: 'the recipes; older hokku_epaper' },
  { says: 'batteryMv', header: 'x-frame-state', field: 'bat_mv', by: 'hokku_epaper' },
  { says: 'batteryMv', header: 'x-battery-voltage', as: 'volts', by: 'sketches' },
  { says: 'batteryPercent', header: 'x-battery-percentage', by: 'esp32-photoframe' },
  { says: 'rssi', header: 'x-rssi', by: 'the recipes' },
  { says: 'rssi', header: 'x-frame-state', field: 'rssi', by: 'hokku_epaper' },
  { says: 'firmware', header: 'x-firmware-version', by: 'esp32-photoframe; the recipes' },
  { says: 'firmware', header: 'x-frame-state', field: 'fw', by: 'hokku_epaper' },
  { says: 'width', header: 'x-display-width', by: 'esp32-photoframe' },
  { says: 'height', header: 'x-display-height', by: 'esp32-photoframe' },
  { says: 'held', header: 'if-none-match', by: 'RFC 9110' },
  { says: 'configAt', header: 'x-config-last-updated', by: 'esp32-photoframe' },
];

/** The headers of every answer. Clients skip those that they do not know. */
export const toldNames = {
  /** The time until the next call, in seconds (hokku_epaper; the recipes). */
  sleepSeconds: 'x-sleep-seconds',
  /** The time of the service, in seconds since 1970: without it hokku_epaper does not believe the sleep. */
  unixSeconds: 'x-server-time-epoch',
} as const;

/** The facts that a client sends with a call. An undefined field was not sent, or cannot be read. */
export interface PlainCall {
  readonly key: string | undefined;
  readonly batteryMv: number | undefined;
  readonly batteryPercent: number | undefined;
  /** dBm. */
  readonly rssi: number | undefined;
  readonly firmware: string | undefined;
  /** Pixels of its panel. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** The tags of pictures that it has. */
  readonly held: string | undefined;
  /** The time of its last change of its settings: it takes others with a picture. */
  readonly configAt: string | undefined;
}

/** The most characters of a header that is read: hokku_epaper sends up to 384. */
const maxCharacters = 512;
const maxFirmwareCharacters = 32;

/** Reads the headers of a call. */
export function readPlainCall(headers: PlainHeaders): PlainCall {
  const texts = (says: SaidName['says']): readonly string[] =>
    saidNames.filter((name) => name.says === says).flatMap((name) => textOf(headers, name) ?? []);
  const whole = (says: SaidName['says'], least: number, most: number): number | undefined =>
    texts(says)
      .filter((text) => /^-?\d{1,6}$/.test(text))
      .map(Number)
      .find((value) => value >= least && value <= most);
  return {
    key: texts('key')[0],
    batteryMv: whole('batteryMv', 500, 15_000),
    batteryPercent: whole('batteryPercent', 0, 100),
    rssi: whole('rssi', -127, -1),
    firmware: texts('firmware').find((text) => text.length <= maxFirmwareCharacters),
    width: whole('width', 1, 9999),
    height: whole('height', 1, 9999),
    held: texts('held')[0],
    configAt: texts('configAt')[0],
  };
}

/** The text of one place; undefined where there is none. */
function textOf(headers: PlainHeaders, { header, field, as }: SaidName): string | undefined {
  const value = headers[header];
  if (typeof value !== 'string' || value.length > maxCharacters) return undefined;
  if (as === 'bearer') return /^bearer +(\S+) *$/i.exec(value)?.[1];
  if (as === 'volts') return millivolts(value.trim());
  const text = field === undefined ? value.trim() : fieldOf(value, field);
  return text === '' ? undefined : text;
}

function millivolts(volts: string): string | undefined {
  return /^\d{1,2}(\.\d{1,4})?$/.test(volts) ? String(Math.round(Number(volts) * 1000)) : undefined;
}

function fieldOf(json: string, field: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const said = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
    return typeof said === 'string' || typeof said === 'number' ? String(said).trim() : undefined;
  } catch {
    return undefined;
  }
}
