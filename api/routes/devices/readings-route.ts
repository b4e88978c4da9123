/** The route of a frame's battery and Wi-Fi over time. */
import { z } from 'zod';
import { batteryPercent } from '../../../gateway/frames/battery.ts';
import { readingsOf } from '../../../gateway/frames/readings.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

const dayMs = 86_400_000;
const maxDays = 90;
const maxPoints = 500;
const defaultPoints = 200;

const reading = z.object({
  at: z.string(),
  millivolts: z.number().nullable().describe('null for a frame on a cable, and where the wake did not say'),
  percent: z.number().nullable(),
  signal: z.number().nullable().describe('dBm'),
});

export function readingsRoute({ db, clock }: DeviceDeps): AnyRoute {
  return route('GET /devices/:deviceId/readings', {
    summary: 'Battery and Wi-Fi of the frame as its wakes reported them, thinned evenly over time, the oldest first',
    query: z.object({
      days: wholeNumber(1, maxDays).describe(`How far back, ${maxDays} days unless said`).optional(),
      points: wholeNumber(2, maxPoints).describe(`At most so many readings, ${defaultPoints} unless said`).optional(),
    }),
    output: z.object({ from: z.string(), to: z.string(), readings: z.array(reading) }),
    async handle({ params, query, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      const to = clock.now();
      const from = to - (query.days ?? maxDays) * dayMs;
      const range = { from, to, points: query.points ?? defaultPoints };
      const found = device.serial === null ? [] : await readingsOf(db, device.serial, range);
      return {
        from: isoTime(from),
        to: isoTime(to),
        readings: found.map(({ at, batteryMv, rssi }) => ({
          at: isoTime(at),
          millivolts: batteryMv !== null && batteryMv > 0 ? batteryMv : null,
          percent: batteryPercent(device.serial ?? '', batteryMv),
          signal: rssi,
        })),
      };
    },
  });
}
