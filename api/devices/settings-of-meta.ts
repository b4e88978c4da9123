/** Reads the settings that a frame is sent out of its device's `meta`. */
import type { ClassicFlags } from '../../firmware-protocol/classic.ts';
import type { FrameSettings } from '../../gateway/frames/settings.ts';
import { wholeOfSetting } from './frame-settings.ts';
import { updateSchedule, windowsOf } from './update-schedule.ts';

type Meta = Readonly<Record<string, unknown>>;

/** A word such as `lut`. Anything longer or of another kind is not sent to the frame (W-05). */
const lutWord = /^[\w-]{1,32}$/;

/** Reads the settings. A value that cannot be read counts as missing. */
export function settingsOfMeta(meta: Meta): FrameSettings {
  const schedule = updateSchedule.safeParse(meta.updateSchedule);
  const maxWakesPerDay = wholeOfSetting('maxWakesPerDay', meta.maxWakesPerDay);
  return {
    sleepTime: meta.sleepTime,
    updateSchedule: schedule.success ? windowsOf(schedule.data) : null,
    flags: flagsOfMeta(meta),
    ...(flagOf(meta.provesSoon) === true && { provesSoon: true }),
    ...(maxWakesPerDay !== undefined && { maxWakesPerDay }),
  };
}

/** Reads the flags, under the names of the clients' forms or the frame's own. */
export function flagsOfMeta(meta: Meta): ClassicFlags {
  const overlay = flagOf(meta.showOverlay ?? meta.overlay);
  const clearscreen = flagOf(meta.clearScreen ?? meta.clearscreen);
  const lut = typeof meta.lut === 'string' && lutWord.test(meta.lut) ? meta.lut : undefined;
  return {
    ...(overlay !== undefined && { overlay }),
    ...(clearscreen !== undefined && { clearscreen }),
    ...(lut !== undefined && { lut }),
  };
}

/** Reads a flag, which a form may write as text. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}
