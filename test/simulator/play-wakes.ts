/** Plays a frame through many wakes, against a service that has something new for it in each of them. */
import { packBitmap } from '../../firmware-protocol/offline/bitmap.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import type { AnyFrame } from '../../simulator/dialects/any-frame.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { classicFrame, frameStory, nativeFrame, offlineStory, pollingFrame } from './frame-story.ts';

export type Dialect = AnyFrame['dialect'];

/** The story of a frame. */
export interface PlayedWakes {
  readonly words: readonly string[];
  /** The pictures on its glass, one after the other. */
  readonly glasses: readonly AnyFrame['glass'][];
  readonly last: AnyFrame;
  /** True when it ended before all wakes were over, and will not wake again. */
  readonly isDead: boolean;
  /** The first thing that it claimed and that a person before it would not have seen. */
  readonly lie: string | undefined;
}

/** More than any wake takes: one that goes on for longer never ends. */
const mostEvents = 400;
const smallPanel = { ...epd7, width: 4, height: 2 };
const firmware = new TextEncoder().encode('an image');
const version = '4.0.0';
const utf8 = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** A picture file of the small panel that differs from wake to wake. */
function pictureOf(wake: number): Uint8Array {
  const ink = [0, 1, 2, 3, 5, 6][wake % 6] ?? 0;
  return new Uint8Array([4, 0, 2, 0, (ink << 4) | ink, wake % 2, 0, 0]);
}

/** A file that begins and ends as a PNG does. */
function pngOf(wake: number): Uint8Array {
  const start = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  return new Uint8Array([...start, wake % 256, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
}

/** A frame that was never switched on. */
export function frameOf(dialect: Dialect): AnyFrame {
  if (dialect === 'native') return nativeFrame({ panel: smallPanel });
  if (dialect === 'trmnl') return pollingFrame('1.8.15', { key: undefined });
  if (dialect === 'offline') return offlineStory({ panel: smallPanel });
  return classicFrame({ panel: smallPanel, activated: false, manifestUrl: 'http://127.0.0.1:3000/ota/epd7' });
}

/** Plays a frame with these behaviours. */
export function playWakes(dialect: Dialect, behaviours: readonly string[], wakes: number): PlayedWakes {
  const story = frameStory(frameOf(dialect), behaviours);
  const all: string[] = [];
  const glasses = [story.state.glass];
  let queue: string[] = [];
  let timers = new Map<string, number>();
  let next: { seconds: number; reason: 'timer' | 'reset' | 'button' | 'motion' } | undefined;
  let lie: string | undefined;

  const take = (words: readonly string[]): void => {
    for (const word of words) {
      all.push(word);
      lie ??= lieOf(word, story.state);
      const [what = '', first = '', second = ''] = word.split(' ');
      if (what === 'timer') timers.set(first, Number(second));
      else if (what === 'sleep') {
        queue = [];
        timers = new Map();
        const seconds = first === 'until' ? 3600 : Number(first);
        next = word.startsWith('sleep for ever') ? undefined : { seconds, reason: reasonOf(word) };
      } else queue.push(word);
    }
    lie ??= lieOf('', story.state);
    if (glasses.at(-1) !== story.state.glass) glasses.push(story.state.glass);
  };

  next = { seconds: 0, reason: 'button' };
  for (let wake = 1; wake <= wakes && next !== undefined; wake++) {
    const { seconds, reason } = next;
    next = undefined;
    take(story.wakes(reason, seconds));
    for (let events = 0; !story.state.asleep; events++) {
      if (events > mostEvents) throw new Error(`wake ${wake} never ends: ${all.slice(-6).join(' | ')}`);
      take(queue.length > 0 ? answer(story, queue.shift() ?? '', wake) : ring());
    }
  }
  return { words: all, glasses, last: story.state, isDead: next === undefined, lie };

  /** Rings the soonest timer: a frame with nothing left to wait for waits for its timers, and in the end for the failsafe. */
  function ring(): string[] {
    const [soonest] = [...timers].sort(([, a], [, b]) => a - b);
    if (soonest === undefined) return story.timerRings('failsafe', 180);
    timers.delete(soonest[0]);
    return story.timerRings(soonest[0], soonest[1] / 1000);
  }
}

function reasonOf(word: string): 'timer' | 'reset' | 'button' | 'motion' {
  const reason = word.split(' ').at(-1);
  return reason === 'reset' || reason === 'button' || reason === 'motion' ? reason : 'timer';
}

/** Answers a word of a frame as a service does that is always there. */
function answer(story: ReturnType<typeof frameStory>, word: string, wake: number): string[] {
  const [what = '', first = '', ...rest] = word.split(' ');
  switch (what) {
    case 'join':
      return story.happens({ kind: 'joined', isIn: first === '' }, Number(rest.at(-1) ?? 2));
    case 'connect':
      return first === '' ? story.happens({ kind: 'connected' }, 1) : story.happens({ kind: 'link lost', why: 'TLS' });
    case 'subscribe':
      return story.happens({ kind: 'subscribed' });
    case 'draw':
      return story.draws();
    case 'say':
      return hears(story, first, rest.join(' '), wake);
    case 'get':
      return first === 'headers' ? story.probeAnswers() : fetches(story, word, wake);
    default:
      return [];
  }
}

function hears(story: ReturnType<typeof frameStory>, name: string, text: string, wake: number): string[] {
  if (name === 'hello') {
    const bytes = pictureOf(wake);
    const offered = { upload: `u${wake}`, fileVersion: wake, url: `http://127.0.0.1:3000/f/${wake}` };
    const picture = { ...offered, bytes: bytes.length, sha256: digestOf(bytes), format: 'nibble' };
    const image = { bytes: firmware.length, sha256: digestOf(firmware) };
    const newer = { offer: 'o1', version, url: 'http://127.0.0.1:3000/firmware', ...image };
    const isOffered = JSON.parse(text).firmware !== version;
    return story.hears('desired', {
      time: 1,
      settings: { sleepSeconds: 600 },
      picture,
      ...(isOffered && { firmware: newer }),
    });
  }
  if (name !== 'activateepaper') return [];
  if (JSON.parse(text).act === 0) return story.hears('receive', { act: 'reset' });
  const flags = { sleepdisabled: false, overlay: true, clearscreen: true };
  return story.hears('receive', { act: 'activated', timeout: 600, t: wake, url: `/f/${wake}`, ...flags });
}

function fetches(story: ReturnType<typeof frameStory>, word: string, wake: number): string[] {
  const [, part = '', url = ''] = word.split(' ');
  const from = Number(/ from (\d+)$/.exec(word)?.[1] ?? 0);
  if (url.includes('/api/')) return story.downloads(utf8(answerOf(url, wake)), { type: 'application/json' });
  if (url.includes('/ota/') && wake < 3) return story.downloads(utf8('nothing is offered yet'), { status: 404 });
  if (url.includes('/ota/')) {
    return story.downloads(utf8({ type: 'esp32-fota-http', version, url: 'http://127.0.0.1:3000/firmware' }));
  }
  const isPolled = url.includes('.png');
  const file = url.endsWith('/firmware') ? firmware : isPolled ? pngOf(wake) : pictureOf(wake);
  if (url.includes('/offline/')) return fetchesOffline(story, part, wake);
  const isWhole = part === 'whole';
  const body = isWhole ? file.slice(from) : file.slice(0, file.length / 2);
  const status = from > 0 ? 206 : 200;
  return story.downloads(body, {
    status,
    complete: isWhole,
    partsOffered: true,
    ...(isPolled && { type: 'image/png' }),
  });
}

/** Answers a frame with the offline firmware: a picture of its own for each wake, and a sleep of ten minutes. */
function fetchesOffline(story: ReturnType<typeof frameStory>, part: string, wake: number): string[] {
  const rows = pictureOf(wake).slice(4);
  const file = packBitmap(smallPanel, rows);
  const headers = { etag: `"${wake}"`, 'x-openpaper-sleep-seconds': '600' };
  const isWhole = part === 'whole';
  return story.downloads(isWhole ? file : file.slice(0, file.length / 2), { complete: isWhole, headers });
}

function answerOf(url: string, wake: number): unknown {
  if (url.includes('/api/setup')) return { status: 200, api_key: 'secret', friendly_id: 'A', message: 'hello' };
  if (url.includes('/api/log')) return {};
  const filename = `pgate-${String(wake).padStart(6, '0')}-1760000000`;
  return { status: 0, filename, image_url: `http://127.0.0.1:3000/trmnl/f/${wake}.png`, refresh_rate: 600 };
}

/** Returns what a frame claims although its glass does not show it, judged by the message that it just sent. */
function lieOf(word: string, { dialect, glass, ...state }: AnyFrame): string | undefined {
  const shown = glass.shows === 'picture' ? glass.sha256 : undefined;
  if (dialect === 'trmnl') {
    const believed = 'believed' in state ? state.believed : undefined;
    return believed === glass || believed?.shows === glass.shows ? undefined : `believes in ${believed?.shows}`;
  }
  if (word.startsWith('say updatestate') && word.includes('update_ok')) {
    return shown !== undefined && shown === state.picture?.sha256 ? undefined : 'says update_ok';
  }
  const said = /^say (?:hello|report) (.*)$/.exec(word)?.[1];
  if (said === undefined) return undefined;
  const { pictureSynced, sha256 } = JSON.parse(said);
  return pictureSynced !== true || sha256 === shown ? undefined : `says ${sha256} and shows ${shown ?? glass.shows}`;
}
