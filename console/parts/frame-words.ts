/** What is said about a frame, in one place for cards, tables and the frame's own screen. */

import { type ApiPath, pathOf } from '../ground/call-api.ts';
import type { FleetDevice } from '../ground/fleet.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { saidText } from '../ground/said.ts';
import { clockTime, now, relativeTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';

/** The path of the picture of an upload. */
export const uploadPicture = (deviceId: string, uploadId: string): ApiPath =>
  pathOf('GET /devices/{deviceId}/uploads/{uploadId}/picture', { deviceId, uploadId });

/** One line: what keeps the due picture from the glass, or since when it is there. */
export function frameLine({ why, glass, due }: FleetDevice): string {
  if (why === null) return glass === null ? t('frame.nothing') : t('frame.onGlass', { time: clockTime(glass.since) });
  return [whyLine(why), whenLine(why), due?.state === 'making' ? t('frame.making') : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** The codes whose sentence says when itself. */
const saysWhen: readonly string[] = ['waits-for-time', 'begins-later'];

/** When the frame is expected that is waited for; empty where nothing more is to be said. */
export const whenLine = ({ code, expectedAt }: NonNullable<FleetDevice['why']>): string =>
  expectedAt === undefined || saysWhen.includes(code) ? '' : expected(expectedAt);

/** What is missing, by its code; of a paper that is to be set up, what to do. */
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
  const family = 'why.not-set-up';
  const line = tCode(family, paperKind);
  return line === paperKind ? tCode('why', code) : line;
}

/** The id of the paper that is to be set up: the selected one, or the one that it chose; null when there is none. */
export function setUpPaper(why: FleetDevice['why'], selected: string | null): string | null {
  return why?.code === 'not-set-up' ? (why.chosenPaper ?? selected) : null;
}

/** When a frame is expected: in words, and that it is late when it is. */
export function expected(at: string): string {
  const isLate = new Date(at).getTime() < now.value - 60_000;
  return t(isLate ? 'frame.expectedLate' : 'frame.expected', { when: relativeTime(at) });
}

/** The trouble in words, with its beginning. */
export function troubleLine({ trouble, why }: FleetDevice): string | undefined {
  if (trouble === null) return undefined;
  // What went wrong in making a picture is what a person mends.
  const reason =
    trouble.code === 'picture-not-made' && why?.reason !== undefined ? saidText(why.reasons, why.reason) : undefined;
  const line =
    reason === undefined
      ? tCode('trouble', trouble.code)
      : `${tCode('why', 'not-made', { reason: reason.replace(/\.$/, '') })}.`;
  return trouble.since === null ? line : t('frame.since', { line, when: clockTime(trouble.since) });
}

/** The battery in words. */
export function batteryLine({ battery }: FleetDevice): string {
  if (battery === null) return t('frame.noBattery');
  const percent = battery.percent === null ? `${(battery.millivolts / 1000).toFixed(2)} V` : `${battery.percent} %`;
  if (battery.daysLeft === null) return percent;
  return t('frame.battery', { percent, days: t('frame.days', { count: Math.round(battery.daysLeft) }) });
}

/** How strong the Wi-Fi is. */
export function signalLine({ signal }: FleetDevice): string {
  if (signal === null) return t('frame.signalUnknown');
  const strength = signal >= -60 ? 'strong' : signal >= -72 ? 'fair' : 'weak';
  return t(`frame.signal.${strength}`, { dbm: signal });
}

/** When the frame wakes next. That it is awake is said no longer than it is sure. */
export function wakeLine({ awake, awakeUntil, nextWakeAt, lastSeenAt }: FleetDevice): string {
  if (awake && (awakeUntil === null || now.value <= new Date(awakeUntil).getTime())) return t('frame.awake');
  if (lastSeenAt === null) return t('frame.neverSeen');
  return nextWakeAt === null ? t('frame.seen', { when: relativeTime(lastSeenAt) }) : expected(nextWakeAt);
}

/** Orders frames: what needs a person first, then by name as the language sorts. */
export function byTrouble(one: FleetDevice, other: FleetDevice): number {
  return weight(other) - weight(one) || one.name.localeCompare(other.name);
}

const weight = ({ trouble }: FleetDevice): number => (trouble === null ? 0 : trouble.level === 'alarm' ? 2 : 1);
