/** The words about a frame, in one place for cards, tables and the frame's own screen. */

import { type ApiPath, pathOf } from '../ground/call-api.ts';
import { showsDetails } from '../ground/details.ts';
import type { FleetDevice } from '../ground/fleet.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { saidText } from '../ground/said.ts';
import { aboutTime, clockTime, now, relativeTime } from '../ground/times.ts';
import { type TextValues, t, tCode } from '../ground/words.ts';
import { byNature } from './natural-order.ts';

/** The path of the picture of an upload. */
export const uploadPicture = (deviceId: string, uploadId: string): ApiPath =>
  pathOf('GET /devices/{deviceId}/uploads/{uploadId}/picture', { deviceId, uploadId });

/** The reasons that keep a picture away only until the frame wakes. */
const untilNextWake: readonly string[] = ['nothing-offered', 'newer-not-offered', 'not-announced', 'not-fetched'];

/** True while nothing is wrong: the picture comes with the next wake. */
export const isOnItsWay = (why: FleetDevice['why']): boolean => why !== null && untilNextWake.includes(why.code);

/** One line: when the due picture will be on the wall, what keeps it away, or since when it is there. */
export function frameLine(device: FleetDevice): string {
  const { why, glass, due, trouble } = device;
  if (due === null && trouble === null && device.lastSeenAt === null) return t('frame.neverSeen');
  if (why === null) return glass === null ? t('frame.nothing') : t('frame.onGlass', { time: clockTime(glass.since) });
  return (isOnItsWay(why) ? expectedOnWall(device) : undefined) ?? whyLine(why);
}

/** When the picture that is due will be on the wall, or what becomes of it; undefined when none is due. */
export function expectedOnWall(device: FleetDevice): string | undefined {
  const { due, trouble } = device;
  if (due === null) return undefined;
  if (due.state === 'not-made') return t('wall.notMade');
  if (due.state === 'fetched') {
    return isDrawing(due.since) ? t('wall.drawing') : wallLine('likely', device);
  }
  if (isSurelyAwake(device)) return t(due.state === 'making' ? 'frame.making' : 'wall.soon');
  if (due.state === 'failed') return wallLine('again', device);
  return trouble?.code === 'silent' ? t('wall.silent') : wallLine('expected', device);
}

/** Panels take up to a minute to draw; a frame that has said nothing later sleeps, and confirms it with its next wake. */
const drawsMs = 120_000;
const isDrawing = (since: string | null): boolean => since !== null && now.value - new Date(since).getTime() < drawsMs;

type WallDay = 'today' | 'tomorrow' | 'later' | 'late' | 'unknown';

/** The words about a picture with the next wake, by what happens then. */
const atNextWake = {
  expected: (day: WallDay, values?: TextValues) => t(`wall.expected.${day}`, values),
  again: (day: WallDay, values?: TextValues) => t(`wall.again.${day}`, values),
  likely: (day: WallDay, values?: TextValues) => t(`wall.likely.${day}`, values),
} as const;

/** Words the effect of a frame's next wake: a picture comes to the wall, is tried again, or is confirmed. */
export function wallLine(
  what: keyof typeof atNextWake,
  { nextWakeAt, lastSeenAt }: Pick<FleetDevice, 'nextWakeAt' | 'lastSeenAt'>,
): string {
  const say = atNextWake[what];
  if (nextWakeAt === null) return lastSeenAt === null ? t('wall.expected.never') : say('unknown');
  if (isLate(nextWakeAt)) return say('late', { when: clockTime(nextWakeAt) });
  const { which, time, day } = aboutTime(nextWakeAt, lastSeenAt);
  return say(which, { time, day });
}

const isLate = (at: string): boolean => new Date(at).getTime() < now.value - 60_000;

/** The words about a picture on the wall, and whether it is proven. */
export interface OnWall {
  readonly line: string;
  readonly isProven: boolean;
  /** How that is known. */
  readonly proof: string;
}

/** Since when the picture is on the wall, and how that is known. */
export function onWall({
  since,
  level,
  grade,
}: Pick<NonNullable<FleetDevice['glass']>, 'since' | 'level' | 'grade'>): OnWall {
  const isProven = level === 'confirmed';
  const proof = isProven ? t(`proof.${grade}`) : t('wall.noProof');
  const line = t(isProven ? 'wall.since' : 'wall.sinceLikely', { time: clockTime(since) });
  return { line, isProven, proof };
}

/** The codes whose sentence says when itself. */
const saysWhen: readonly string[] = ['waits-for-time', 'begins-later'];

/** Words what is missing, by its code; of a paper that is to be set up, the next step. */
export function whyLine({
  code,
  reason = '',
  reasons,
  paperKind = '',
  chosenPaper,
  expectedAt = new Date(now.value).toISOString(),
}: NonNullable<FleetDevice['why']>): string {
  if (chosenPaper !== undefined) return t('why.chosen-not-set-up', { kind: kindName(paperKind) });
  if (code !== 'not-set-up') {
    const when = saysWhen.includes(code) ? clockTime(expectedAt) : '';
    return tCode('why', code, { reason: saidText(reasons, reason), kind: paperKind, when });
  }
  return setUpLine(paperKind);
}

/** Words what a paper of a kind lacks before there can be a picture of it, and the next step. */
export function setUpLine(kind: string): string {
  const family = 'why.not-set-up';
  const line = tCode(family, kind);
  return line === kind ? tCode('why', 'not-set-up') : line;
}

/** The id of the paper that is to be set up: the selected one, or the one that it chose; null when there is none. */
export function setUpPaper(why: FleetDevice['why'], selected: string | null): string | null {
  return why?.code === 'not-set-up' ? (why.chosenPaper ?? selected) : null;
}

const soonMs = 30_000;

/** When a frame wakes: in words, and that it is late when it is. */
export function expected(at: string): string {
  if (!isLate(at) && Math.abs(new Date(at).getTime() - now.value) < soonMs) return t('frame.expectedSoon');
  return t(isLate(at) ? 'frame.expectedLate' : 'frame.expected', { when: relativeTime(at) });
}

/** The trouble in words, with its beginning where that means something to a person. */
export function troubleLine({ trouble, why, lastSeenAt }: FleetDevice): string | undefined {
  if (trouble === null) return undefined;
  // A person can fix what went wrong in making a picture, so the text names it.
  if (trouble.code === 'picture-not-made' && why?.reason !== undefined) {
    return tCode('why', 'not-made', { reason: saidText(why.reasons, why.reason) });
  }
  const since = trouble.code === 'silent' ? (lastSeenAt ?? trouble.since) : trouble.since;
  const dated = since === null ? trouble.code : tCode('troubleSince', trouble.code, { when: clockTime(since) });
  return dated === trouble.code ? tCode('trouble', trouble.code) : dated;
}

/** The next step that the firmware of a frame in trouble asks for; undefined where that follows from the trouble alone. */
export function ownRemedy({ trouble }: FleetDevice): string | undefined {
  return trouble?.remedy === undefined ? undefined : saidText(trouble.remedies, trouble.remedy);
}

/** The battery in words; its charge or voltage among the details. */
export function batteryLine({ battery, lastSeenAt }: FleetDevice): string {
  if (battery === null) return t(lastSeenAt === null ? 'frame.batteryUnknown' : 'frame.noBattery');
  const { percent, millivolts, daysLeft } = battery;
  const volts = t('frame.volts', { volts: Math.round(millivolts / 10) / 100 });
  const words =
    daysLeft === null
      ? charge(percent)
      : t('frame.battery', { days: t('frame.days', { count: Math.round(daysLeft) }) });
  if (!showsDetails.value) return words;
  return t('frame.withDetail', {
    words,
    detail: percent === null ? volts : t('frame.percentVolts', { percent, volts }),
  });
}

/** How full a battery is, as far as its voltage says. */
function charge(percent: number | null): string {
  if (percent === null) return t('frame.batteryUnknown');
  if (percent >= 90) return t('frame.batteryFull');
  return percent >= 20 ? t('frame.batteryPercent', { percent }) : t('frame.batteryLow', { percent });
}

/** How strong the Wi-Fi is; its number among the details. */
export function signalLine({ signal }: FleetDevice): string {
  if (signal === null) return t('frame.signalUnknown');
  const strength = signal >= -60 ? 'strong' : signal >= -72 ? 'fair' : 'weak';
  const words = t(`frame.signal.${strength}`);
  return showsDetails.value ? t('frame.withDetail', { words, detail: t('frame.dbm', { dbm: signal }) }) : words;
}

/** A frame is called awake only as long as that is certain. */
const isSurelyAwake = ({ awake, awakeUntil }: FleetDevice): boolean =>
  awake && (awakeUntil === null || now.value <= new Date(awakeUntil).getTime());

/** When the frame wakes next. */
export function wakeLine(device: FleetDevice): string {
  const { nextWakeAt, lastSeenAt, trouble } = device;
  if (isSurelyAwake(device)) return t('frame.awake');
  if (lastSeenAt === null) return t('frame.neverSeen');
  if (nextWakeAt === null || trouble?.code === 'silent') return t('frame.seen', { when: relativeTime(lastSeenAt) });
  return expected(nextWakeAt);
}

/** Orders frames: what needs a person first, then by name as the language sorts. */
export function byTrouble(one: FleetDevice, other: FleetDevice): number {
  return weight(other) - weight(one) || byNature(one.name, other.name);
}

const weight = ({ trouble }: FleetDevice): number => (trouble === null ? 0 : trouble.level === 'alarm' ? 2 : 1);
