/**
 * The route that forecasts what other settings of a frame's sleep would cost its battery, before anybody saves them.
 */
import { z } from 'zod';
import { clampSleepSeconds } from '../../../firmware-protocol/sleep.ts';
import { lastsTimes, wakesPerDay } from '../../../gateway/frames/forecast-settings.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { settingsOfMeta } from '../../devices/settings-of-meta.ts';
import { updateSchedule, windowsOf } from '../../devices/update-schedule.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';
import { factsOf } from './show-device.ts';

const forecast = z.object({
  wakesPerDay: z.number().describe('on average over four weeks'),
  daysLeft: z.number().nullable().describe('of the battery as it is; null where nothing is known of it yet'),
});

const forecasts = z.object({
  now: forecast.describe('with the settings that are stored'),
  asked: forecast.describe('with the settings that were asked about'),
  lastsTimes: z.number().describe('the number of times as long as now that a battery would last, roughly'),
});

const tenth = (value: number): number => Math.round(value * 10) / 10;

export function forecastRoute({ db, clock, frames }: DeviceDeps): AnyRoute {
  return route('POST /devices/:deviceId/battery-forecast', {
    audit: { none: 'it changes nothing' },
    summary: 'What other settings of sleep and update windows would cost the battery; nothing is changed',
    body: z.object({
      sleepTime: z
        .union([z.string().max(20), z.number()])
        .optional()
        .describe('seconds; the stored ones if left out'),
      updateSchedule: updateSchedule.nullish().describe('the stored one if left out, null for none'),
    }),
    output: forecasts,
    async handle({ params, body, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      const stored = settingsOfMeta(storedObject(device.meta));
      const settings = (sleepTime: unknown, windows = stored.updateSchedule ?? null) => ({
        sleepSeconds: clampSleepSeconds(sleepTime),
        updateSchedule: windows,
      });
      const asked = body.updateSchedule === undefined ? undefined : windowsOf(body.updateSchedule);
      const at = clock.now();
      const wakesNow = wakesPerDay(settings(stored.sleepTime), at);
      const wakesThen = wakesPerDay(settings(body.sleepTime ?? stored.sleepTime, asked), at);
      const times = lastsTimes(wakesNow, wakesThen);
      const daysLeft = (await factsOf(device, frames))?.batteryDaysLeft ?? null;
      return {
        now: { wakesPerDay: tenth(wakesNow), daysLeft },
        asked: { wakesPerDay: tenth(wakesThen), daysLeft: daysLeft === null ? null : Math.round(daysLeft * times) },
        lastsTimes: Math.round(times * 100) / 100,
      };
    },
  });
}
