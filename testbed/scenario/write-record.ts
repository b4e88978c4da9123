/** Writes the file of a record: a scenario that a live service has been through. */
import { spanText } from '../../runtime/spans.ts';
import { allowanceMs, momentText, settleMs, type ToldFrame, voltsText } from './tell-frame.ts';

export interface ServiceRecord {
  /** When it begins and ends, epoch milliseconds; it begins with a minute of UTC. */
  readonly from: number;
  readonly until: number;
  readonly frames: readonly ToldFrame[];
  /** The notes for a reader of it, each a sentence. */
  readonly notes: readonly string[];
}

/** Something that happens, as it stands in a file. */
interface WrittenEvent {
  readonly at: number;
  readonly words: string;
  readonly frames: string[];
}

const nameOf = (place: number): string => `frame-${place + 1}`;

/** Writes it. Nothing of what it is written from names a frame, a place, a person or a picture. */
export function recordText({ from, until, frames, notes }: ServiceRecord): string {
  const events = [...pushEvents(frames), ...actEvents(frames)].sort((one, other) => one.at - other.at);
  const pushes = frames.flatMap((frame) => frame.pushes);
  const endings = pushes.map(({ at, withinMs = 0 }) => at + withinMs);
  const lastsMs = endings.reduce((one, other) => Math.max(one, other), settleMs + until - from + allowanceMs);
  return [
    ...notes.flatMap((note) => folded(note, '# ', '# ')),
    'name: A record of a live service',
    `starts: ${utcMinute(from - settleMs)}`,
    `lasts: ${spanText(Math.ceil(lastsMs / 60_000) * 60_000)}`,
    'fleet:',
    ...frames.flatMap(groupLines),
    ...(events.length === 0 ? [] : ['events:']),
    ...events.flatMap(({ at, words, frames: to }) => {
      const target = to.length === 1 ? to[0] : `"${to.join(', ')}"`;
      return `  - { at: ${momentText(at)}, ${words}, to: ${target} }`;
    }),
    '',
  ].join('\n');
}

/** Writes a time as files have it. */
export const utcMinute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

function groupLines({ dialect, kind, sleepSeconds, batteryMv, wakes }: ToldFrame, place: number): string[] {
  return [
    `  - name: ${nameOf(place)}`,
    '    frames: 1',
    '    content: own',
    `    dialect: ${dialect}`,
    `    panel: ${kind}`,
    `    sleep: ${spanText(sleepSeconds * 1000)}`,
    ...(batteryMv === undefined ? [] : [`    battery: ${voltsText(batteryMv)}`]),
    ...folded(`wakes: [${wakes.map(momentText).join(', ')}]`, '    ', '      '),
  ];
}

/** One content that came to several frames at one moment, and for which the same is expected, is one event. */
function pushEvents(frames: readonly ToldFrame[]): WrittenEvent[] {
  const pushes = frames
    .flatMap(({ pushes }, place) => pushes.map((push) => ({ ...push, frame: nameOf(place) })))
    .sort((one, other) => one.at - other.at);
  const numbers = new Map<string, number>();
  const events = new Map<string, WrittenEvent>();
  for (const { at, content, withinMs, frame } of pushes) {
    const number = numbers.get(content) ?? numbers.size + 1;
    numbers.set(content, number);
    const within = withinMs === undefined ? '' : `, within: ${spanText(withinMs)}`;
    const words = `push: Picture ${number}${within}`;
    const event = events.get(`${at} ${words}`) ?? { at, words, frames: [] };
    // A frame that was sent the same content twice in a second is listed once.
    if (!event.frames.includes(frame)) event.frames.push(frame);
    events.set(`${at} ${words}`, event);
  }
  return [...events.values()];
}

const actEvents = (frames: readonly ToldFrame[]): WrittenEvent[] =>
  frames.flatMap(({ acts }, place) => acts.map((act) => ({ ...act, frames: [nameOf(place)] })));

const width = 110;

/** Breaks a line at its spaces. */
function folded(text: string, first: string, others: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      [line, isEmpty] = [others, true];
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
