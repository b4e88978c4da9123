/**
 * The classic dialect: the messages of unmodified frames in the field. They are read tolerantly and written
 * strictly.
 */
import { type Decoded, decodeJson } from './codec.ts';
import { limits, reportRanges } from './limits.ts';
import { type WakeReason, wakeReasons } from './sleep.ts';
import { classicTopics } from './topics.ts';
import { isFileVersion } from './versions.ts';

/** `act` 1: a frame is awake and reports. Absent or unreadable fields are undefined; an unknown wake reason is a reset. */
export interface ClassicWake {
  readonly kind: 'wake';
  readonly firmware: string | undefined;
  readonly fileVersion: number | undefined;
  readonly batteryMv: number | undefined;
  readonly wake: WakeReason;
  readonly rssi: number | undefined;
  readonly orientation: number | undefined;
  readonly storedTimeoutSeconds: number | undefined;
}

/** Every message of a classic frame. */
export type ClassicMessage =
  | ClassicWake
  | { readonly kind: 'deactivate' }
  | { readonly kind: 'request' }
  | { readonly kind: 'state'; readonly state: string };

/** Flags that a classic frame takes from an `activated` and keeps in its EEPROM; `lut` it forgets with the wake. */
export interface ClassicFlags {
  readonly overlay?: boolean | undefined;
  readonly clearscreen?: boolean | undefined;
  readonly lut?: string | undefined;
}

/** One message to a classic frame. Keys go out in this order; absent keys are left out. */
export interface ClassicAnswer extends ClassicFlags {
  readonly act?: 'activated' | 'not_started' | 'reset';
  readonly timeout?: number;
  readonly t?: number;
  readonly url?: string;
}

/** Decodes what a classic frame published under one of its topics. */
export function decodeClassic(topic: 'activate' | 'request' | 'state', bytes: Uint8Array): Decoded<ClassicMessage> {
  const json = decodeJson(bytes, limits.classicPacketBytes);
  if (!json.ok) return json;
  if (typeof json.value !== 'object' || json.value === null) return { ok: false, problem: 'not a JSON object' };
  const fields = new Map(Object.entries(json.value));
  if (topic === 'request')
    return fields.get('func') === 'request' ? good({ kind: 'request' }) : bad('func is not "request"');
  if (topic === 'state') {
    const state = fields.get('state');
    return typeof state === 'string' ? good({ kind: 'state', state }) : bad('state is not text');
  }
  const act = wholeNumber(fields.get('act'));
  if (act === 0) return good({ kind: 'deactivate' });
  if (act !== 1) return bad('act is neither 0 nor 1');
  const file = wholeNumber(fields.get('file'));
  return good({
    kind: 'wake',
    firmware: text(fields.get('v') ?? fields.get('fw')) || undefined,
    // A missing version is not 0, which stands for no picture and may get a frame wiped (W-17).
    fileVersion: isFileVersion(file) ? file : undefined,
    batteryMv: within(reportRanges.batteryMv, fields.get('bat')),
    wake: wakeReason(fields.get('wake')),
    rssi: within(reportRanges.rssi, text(fields.get('wifi')).split(',').at(-1)),
    orientation: within(reportRanges.orientation, fields.get('orient')),
    storedTimeoutSeconds: within(reportRanges.sleepSeconds, fields.get('timeout')),
  });
}

/** The bytes of a wake report as the fielded firmware writes them: text values, this order, a space after each colon. */
export function encodeClassicWake(report: {
  firmware: string;
  fileVersion: number;
  batteryMv: number;
  wake: WakeReason;
  rssi: number;
  orientation: number;
  storedTimeoutSeconds: number;
  predictedSleepSeconds: number;
}): Uint8Array {
  const fields: [string, string | number][] = [
    ['act', 1],
    ['v', report.firmware],
    ['file', String(report.fileVersion)],
    ['bat', String(report.batteryMv)],
    ['wake', String(wakeReasons.indexOf(report.wake))],
    ['wifi', `1, ${report.rssi}`],
    ['usb', '0'],
    ['orient', String(report.orientation)],
    ['timeout', String(report.storedTimeoutSeconds)],
    ['timeoutPredict', String(report.predictedSleepSeconds)],
  ];
  return new TextEncoder().encode(`{${fields.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`).join(',')}}`);
}

/**
 * Encodes an answer, with everything a frame would break on checked once more (W-01, W-04, W-05, W-06).
 * @param frame the identity in the spelling the frame used; its length counts into the packet
 * @param urlPrefix the download prefix compiled into the firmware
 * @throws Error on any breach: such a message must never leave the gateway
 */
export function encodeClassicAnswer(frame: string, answer: ClassicAnswer, urlPrefix: string): Uint8Array {
  if (answer.act === 'activated' && answer.t === undefined) throw new Error('W-01: activated without t');
  if (answer.t !== undefined && !isFileVersion(answer.t)) throw new Error(`W-06: t is ${answer.t}`);
  // Beyond the safe integers JSON would carry an exponent.
  if (answer.timeout !== undefined && !Number.isSafeInteger(answer.timeout)) {
    throw new Error('W-06: timeout is not a plain integer');
  }
  // The frame's buffer holds bytes: a character beyond ASCII takes more than one of them.
  const urlBytes = answer.url === undefined ? 0 : new TextEncoder().encode(urlPrefix + answer.url).length;
  if (urlBytes > limits.classicUrlCharacters) {
    throw new Error(`W-04: prefix and url take ${urlBytes} bytes, at most ${limits.classicUrlCharacters}`);
  }
  const { act, timeout, t, url, overlay, clearscreen, lut } = answer;
  // W-27: nobody has to remember it, and nothing can ask for the contrary.
  const sleepdisabled = act === 'activated' ? false : undefined;
  const fields = { act, timeout, t, url, sleepdisabled, overlay, clearscreen, lut };
  const payload = new TextEncoder().encode(JSON.stringify(fields));
  const packetBytes = publishPacketBytes(classicTopics.receive(frame), payload.length);
  if (packetBytes > limits.classicPacketBytes) throw new Error(`W-05: the packet would take ${packetBytes} bytes`);
  return payload;
}

/** Bytes of a whole QoS 0 PUBLISH: fixed header, remaining length, topic length, topic, payload. */
export function publishPacketBytes(topic: string, payloadBytes: number): number {
  const remaining = 2 + new TextEncoder().encode(topic).length + payloadBytes;
  return 1 + (remaining < 128 ? 1 : remaining < 16_384 ? 2 : 3) + remaining;
}

function good(value: ClassicMessage): Decoded<ClassicMessage> {
  return { ok: true, value };
}

function bad(problem: string): Decoded<ClassicMessage> {
  return { ok: false, problem };
}

/** Text without NUL, which PostgreSQL cannot store. */
function text(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\0', '').slice(0, 64);
  return typeof value === 'number' ? String(value) : '';
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

function within(range: { readonly lowest: number; readonly highest: number }, value: unknown): number | undefined {
  const number = wholeNumber(value);
  return number !== undefined && number >= range.lowest && number <= range.highest ? number : undefined;
}

/** A number as the firmware sends it, or a word as an older vendor document shows it. */
function wakeReason(value: unknown): WakeReason {
  const index = wholeNumber(value);
  if (index !== undefined) return wakeReasons[index] ?? 'reset';
  const word = text(value).toLowerCase();
  return wakeReasons.find((reason) => reason === word) ?? 'reset';
}
