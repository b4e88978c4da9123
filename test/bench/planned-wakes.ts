/**
 * Households over two weeks whose pictures change at known times: `node --import tsx test/bench/planned-wakes.ts`. Prints how
 * late changes hang and how often frames wake, with sleeps that end at changes against sleeps of an hour and of three.
 * HOUSEHOLDS (50), DAYS (14) and SEEDS (1) may be given.
 */
import { meanOf, type PlayedHouseholds, partOf, playHouseholds } from '../gateway/planned-households.ts';

const { HOUSEHOLDS = '50', DAYS = '14', SEEDS = '1' } = process.env;

function say(name: string, { lateMinutes, wakesPerDay, missedBySeconds }: PlayedHouseholds): void {
  const late = [meanOf(lateMinutes), partOf(lateMinutes, 0.95), lateMinutes.at(-1) ?? 0].map((value) =>
    value.toFixed(2),
  );
  const missed = [0.5, 0.95].map((part) => partOf(missedBySeconds, part).toFixed(0));
  console.log(
    `${name}: ${lateMinutes.length} changes, late ${late[0]} min on average, p95 ${late[1]}, at most ${late[2]}; ` +
      `${wakesPerDay.toFixed(1)} wakes a day; expected within ${missed[0]} s (median), ${missed[1]} s (p95)`,
  );
}

for (let seed = 1; seed <= Number(SEEDS); seed++) {
  const asked = { households: Number(HOUSEHOLDS), days: Number(DAYS), seed };
  const planned = await playHouseholds(asked);
  say('planned, three hours at most', planned);
  for (const hours of [1, 3]) {
    const plain = await playHouseholds({ ...asked, always: hours * 3600 });
    say(`each ${hours} h`, plain);
    const wakes = (planned.wakesPerDay / plain.wakesPerDay).toFixed(3);
    const late = (meanOf(planned.lateMinutes) / meanOf(plain.lateMinutes)).toFixed(3);
    console.log(`  planned against that: ${wakes} of its wakes, ${late} of its lateness`);
  }
}
