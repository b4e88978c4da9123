/** The checks of a server's answers for frames of TRMNL's protocol, each with what was seen. */

import { pngForm } from '../../firmware-protocol/panel-png.ts';
import type { Panel } from '../../firmware-protocol/panels.ts';
import { isOwnRate } from '../../firmware-protocol/trmnl/refresh-rate.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { isWholePng, trmnlPictureBytes } from '../../simulator/dialects/trmnl/trmnl-picture.ts';
import type { ServerAnswer } from './call-server.ts';

/** One check. A `must` that is not kept breaks some firmware, a `should` costs its owner something. */
export interface ServerCheck {
  readonly check: string;
  readonly level: 'must' | 'should';
  readonly kept: boolean;
  readonly right: string;
  readonly seen: string;
}

/** Checks that could not be made, by the word that theirs begin with, and why. */
export interface MissingChecks {
  readonly checks: string;
  readonly why: string;
}

/** Every word that checks begin with, in the order of a trial. */
const allChecks = ['setup', 'display', 'picture', 'log', 'glass'] as const;

/** Says which checks a trial did not come to. */
export function missingChecks(made: readonly ServerCheck[]): readonly MissingChecks[] {
  const has = (word: string): boolean => made.some(({ check }) => check.startsWith(word));
  const wasServed = has('display:');
  const missing = allChecks
    .filter((word) => !made.some(({ check }) => check.startsWith(`${word}:`) && check !== strangers))
    .map((word) => ({
      checks: word,
      why: word === 'setup' ? 'the frame had its key already and did not ask for one' : 'the frame was given no key',
    }));
  return wasServed || has('setup: api_key')
    ? missing
    : [{ checks: 'setup: api_key, friendly_id, message', why: 'the frame was not adopted in time' }, ...missing];
}

type Said = Readonly<Record<string, unknown>>;

const strangers = 'setup: strangers';
const addressBytes = 1000;
const nameCharacters = 30;
const maxShown = 160;

/** Writes what was seen, in bounds and without control characters. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replaceAll(/[\u0000-\u001f\u007f]/g, ' ').slice(0, maxShown) || 'nothing';
}

function must(check: string, kept: boolean, right: string, seen: unknown): ServerCheck {
  return { check, level: 'must', kept, right, seen: shown(seen) };
}

function should(check: string, kept: boolean, right: string, seen: unknown): ServerCheck {
  return { ...must(check, kept, right, seen), level: 'should' };
}

/** Reads a body as the firmware does; undefined when it is not a JSON object. */
export function readSaid({ body }: ServerAnswer): Said | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) ? (value as Said) : undefined;
  } catch {
    return undefined;
  }
}

/** Judges what every JSON answer has to be: whole, at once, with a length, and compact. */
export function judgeJson(call: 'setup' | 'display', answer: ServerAnswer): ServerCheck[] {
  const { status, headers, body, problem } = answer;
  const said = readSaid(answer);
  // The script for Kindles reads the text with `sed`, which knows no blanks.
  const isCompact = said !== undefined && body.toString().trim() === JSON.stringify(said);
  const length = headers['content-length'] ?? headers['transfer-encoding'] ?? 'neither';
  return [
    must(
      `${call}: no redirect`,
      problem === undefined && (status < 300 || status > 399),
      'an answer at once',
      problem ?? status,
    ),
    must(`${call}: JSON`, said !== undefined, 'a JSON object', problem ?? body.toString()),
    must(
      `${call}: Content-Length`,
      headers['content-length'] !== undefined,
      'a length: 1.5.2 and 1.6.9 crash on chunks',
      length,
    ),
    should(`${call}: compact JSON`, isCompact, 'no blanks: the script for Kindles reads it with sed', body.toString()),
  ];
}

/** Judges the answer to the setup call of a frame that may have its key, or has to wait. */
export function judgeSetup(answer: ServerAnswer): ServerCheck[] {
  const said = readSaid(answer);
  const status = said?.status ?? answer.status;
  const isGiven = status === 200;
  const key = said?.api_key;
  const checks = [
    ...judgeJson('setup', answer),
    must('setup: status', status === 200 || status === 404, '200 with a key, or 404: the frame waits 900 s', status),
    should(
      'setup: HTTP status',
      answer.status === 200,
      '200: firmware before 1.6.6 takes others for an outage',
      answer.status,
    ),
  ];
  if (!isGiven) return checks;
  const message = String(said?.message ?? '');
  const hasKey = typeof key === 'string' && key !== '';
  return [
    ...checks,
    must('setup: api_key', hasKey, 'a text', hasKey ? `${String(key).length} characters` : key),
    must(
      'setup: friendly_id',
      typeof said?.friendly_id === 'string' && said.friendly_id !== '',
      'a text',
      said?.friendly_id,
    ),
    must('setup: message', Buffer.byteLength(message) < 128, 'less than 128 bytes', message),
  ];
}

/** Judges that a key is not given to anyone who names an address. */
export function judgeStranger(answer: ServerAnswer): ServerCheck {
  const key = readSaid(answer)?.api_key;
  const isGiven = typeof key === 'string' && key !== '';
  return should(strangers, !isGiven, 'no key before an owner adopts the frame', isGiven ? 'a key' : 'none');
}

/** Judges the answer to a display call. */
export function judgeDisplay(answer: ServerAnswer, base: string): ServerCheck[] {
  const said = readSaid(answer) ?? {};
  const { status = 0, refresh_rate: rate, filename, image_url: url, reset_firmware: resets } = said;
  const [name, address] = [String(filename ?? ''), String(url ?? '')];
  const isWhole = typeof rate === 'number' && Number.isInteger(rate);
  return [
    ...judgeJson('display', answer),
    must('display: HTTP status', answer.status === 200, '200', answer.status),
    must('display: status', status === 0, '0: 500 wipes the frame up to 1.8.14, 202 shows an error', status),
    must('display: refresh_rate', isWhole, 'a whole number', rate),
    must('display: sleep', Number(rate) > 0, 'more than 0, which is an endless loop of wakes', rate),
    should(
      'display: echo',
      !isOwnRate(Number(rate)),
      'no value that frames store after failures (5 to 900, 3600)',
      rate,
    ),
    must('display: filename', name !== '', 'a name', filename),
    should('display: length of filename', name.length <= nameCharacters, `${nameCharacters} characters at most`, name),
    must(
      'display: image_url',
      /^https?:\/\//.test(address),
      'always an http address: 1.8.15 shows an error without',
      url,
    ),
    must(
      'display: length of image_url',
      Buffer.byteLength(address) < addressBytes,
      'less than 1,000 bytes: the buffer is not checked',
      `${Buffer.byteLength(address)} bytes`,
    ),
    should(
      'display: origin of image_url',
      address.startsWith(base),
      'below the base address: only then the frame names itself',
      address,
    ),
    must('display: no reset', resets !== true, 'reset_firmware is false: true wipes the frame', resets ?? false),
  ];
}

/** Judges the answer to the download of a picture. */
export function judgePicture(answer: ServerAnswer, panel: Panel): ServerCheck[] {
  const { status, headers, body, problem } = answer;
  const type = headers['content-type'] ?? 'none';
  const most = panel.maxFileBytes ?? trmnlPictureBytes;
  const whole = isWholePng(body);
  const [width, height, depth, colour] = whole
    ? [body.readUInt32BE(16), body.readUInt32BE(20), body.readUInt8(24), body.readUInt8(25)]
    : [0, 0, 0, -1];
  const { bits: deepest } = pngForm(panel);
  // What these decoders draw is of one form alone.
  const isChoosy = panel.png === 'gray8' || panel.png === 'threeGrays';
  const isPlain = isChoosy ? colour === 0 && depth === deepest : colour === 0 || colour === 3;
  return [
    must('picture: status', problem === undefined && status === 200, '200 at once: 302 is an error', problem ?? status),
    must(
      'picture: Content-Length',
      headers['content-length'] !== undefined,
      'a length: 1.5.2 and 1.6.9 crash on chunks',
      headers['content-length'] ?? 'none',
    ),
    must('picture: Content-Type', type === 'image/png', 'image/png and nothing after it', type),
    must(
      'picture: size of file',
      body.length > 0 && body.length <= most,
      `${most} bytes at most`,
      `${body.length} bytes`,
    ),
    must(
      'picture: PNG',
      whole,
      'a whole PNG; a BMP is fetched and drawn at each wake',
      `${body.subarray(0, 8).toString('hex')}…`,
    ),
    must(
      'picture: pixels',
      width === panel.width && height === panel.height,
      `${panel.width} × ${panel.height}`,
      `${width} × ${height}`,
    ),
    must(
      'picture: depth',
      isPlain && depth <= deepest,
      isChoosy ? `gray, ${deepest} bit` : `gray or palette, ${deepest} bit at most`,
      `colour type ${colour}, ${depth} bit`,
    ),
  ];
}

/** Judges the answer to a log call: a frame sends what was not accepted again with each wake. */
export function judgeLog({ status, problem }: ServerAnswer): ServerCheck {
  return must('log: status', status === 200 || status === 204, '200 or 204', problem ?? status);
}

/** Judges that a picture under an error screen is announced under another name. */
export function judgeHealed(before: string, answer: ServerAnswer): ServerCheck {
  const name = String(readSaid(answer)?.filename ?? '');
  const seen = name === before ? `${name} again: the error stays on the glass` : name;
  return should('glass: error screens', name !== '' && name !== before, 'a fresh name after "Wi-Fi failed"', seen);
}
