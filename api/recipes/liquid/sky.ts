/** The sun and the moon over a place, computed: recipes show them without a source. */
import { getMoonIllumination, getMoonTimes, getTimes } from 'suncalc';

const dayMs = 86_400_000;
const secondsOf = (date: Date | null | undefined): number | null => (date ? Math.round(date.getTime() / 1_000) : null);

/** Reads latitude and longitude as a field of a place has them, such as `52.52,13.40`. */
function placeOf(text: string): readonly [latitude: number, longitude: number] | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [latitude, longitude] : undefined;
}

/** Finds when the moon next has a phase, within a minute: 0 is new, 0.5 full. */
function nextPhase(from: number, phase: number): number {
  const lead = (at: number): number => (((getMoonIllumination(new Date(at)).phase - phase) % 1) + 1) % 1;
  let early = from;
  // The phase grows from nought to one in a lunar month; where it falls, the moment was passed.
  while (lead(early + dayMs) >= lead(early)) early += dayMs;
  let late = early + dayMs;
  while (late - early > 60_000) {
    const middle = (early + late) / 2;
    if (lead(middle) < lead(early)) late = middle;
    else early = middle;
  }
  return late;
}

/**
 * Describes the sky over a place on the day of a moment. Moments are epoch seconds, null for what does not happen.
 * @param now epoch milliseconds
 * @param place latitude and longitude
 * @param offset seconds by which clocks at the place are ahead of UTC
 * @returns undefined for a text that is not a place
 */
export function skyOver(now: number, place: string, offset: number): Readonly<Record<string, unknown>> | undefined {
  const at = placeOf(place);
  if (at === undefined) return undefined;
  const [latitude, longitude] = at;
  const midnight = Math.floor((now + offset * 1_000) / dayMs) * dayMs - offset * 1_000;
  const sun = getTimes(new Date(midnight + dayMs / 2), latitude, longitude);
  const [sunrise, sunset] = [secondsOf(sun.sunrise), secondsOf(sun.sunset)];
  // The library looks at days of UTC: those of the place lie in two of them.
  const moons = [-1, 0, 1].map((days) => getMoonTimes(new Date(midnight + days * dayMs), latitude, longitude));
  const today = (times: readonly (Date | undefined)[]): number | null =>
    secondsOf(
      times.find((time) => time !== undefined && time.getTime() >= midnight && time.getTime() < midnight + dayMs),
    );
  const { fraction, phase, waxing } = getMoonIllumination(new Date(now));
  return {
    sunrise,
    sunset,
    noon: secondsOf(sun.solarNoon),
    dawn: secondsOf(sun.dawn),
    dusk: secondsOf(sun.dusk),
    daylight: sun.alwaysUp ? 86_400 : sunrise === null || sunset === null ? 0 : sunset - sunrise,
    is_up: sun.alwaysUp === true,
    is_down: sun.alwaysDown === true,
    moonrise: today(moons.map(({ rise }) => rise)),
    moonset: today(moons.map(({ set }) => set)),
    moon_phase: phase,
    moon_lit: Math.round(fraction * 100),
    moon_waxing: waxing,
    // The side that is lit changes in the middle of the month, and is the other one south of the equator.
    moon_mirrored: waxing !== latitude >= 0,
    next_new: Math.round(nextPhase(now, 0) / 1_000),
    next_full: Math.round(nextPhase(now, 0.5) / 1_000),
  };
}
