/**
 * The route that forecasts what other settings of a frame's sleep would cost its battery, and how late its pictures would
 * hang, before anybody saves them.
 */
import { z } from 'zod';
import { clampSleepSeconds } from '../../../firmware-protocol/sleep.ts';
import { lastsTimes } from '../../../gateway/frames/forecast-settings.ts';
import { forecastFacts, forecastWakes, type WakeForecast } from '../../../gateway/frames/forecast-wakes.ts';
import { requireSettings, wholeOfSetting } from '../../devices/frame-settings.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { settingsOfMeta } from '../../devices/settings-of-meta.ts';
import { updateSchedule, windowsOf } from '../../devices/update-schedule.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';
import { factsOf } from './show-device.ts';

const forecast = z.object({
  wakesPerDay: z.number().describe('on average over four weeks; with planned changes, over the coming day'),
  daysLeft: z.number().nullable().describe('of the battery as it is; null where nothing is known of it yet'),
  changes: z.number().describe('the changes of its picture that are planned for the coming day'),
  leftOut: z.number().describe('those of them for which it does not wake, because it wakes often enough'),
  lateSeconds: z.number().nullable().describe('how late such a change hangs on average; null where none is planned'),
  sentWaitsSeconds: z.number().describe('how long a picture that somebody sends at any time waits on average'),
});

const forecasts = z.object({
  now: forecast.describe('with the settings that are stored'),
  asked: forecast.describe('with the settings that were asked about'),
  lastsTimes: z.number().describe('the number of times as long as now that a battery would last, roughly'),
  measuredWakesPerDay: z
    .number()
    .nullable()
    .describe('as they were over the last two weeks; null for fewer than three days'),
});

const tenth = (value: number): number => Math.round(value * 10) / 10;

const shown = ({ lateSeconds, sentWaitsSeconds, ...found }: WakeForecast, daysLeft: number | null) => ({
  ...found,
  wakesPerDay: tenth(found.wakesPerDay),
  daysLeft: daysLeft === null ? null : Math.round(daysLeft),
  lateSeconds: lateSeconds === null ? null : Math.round(lateSeconds),
  sentWaitsSeconds: Math.round(sentWaitsSeconds),
});

export function forecastRoute({ db, clock, frames }: DeviceDeps): AnyRoute {
  return route('POST /devices/:deviceId/battery-forecast', {
    audit: { none: 'it changes nothing' },
    summary: 'What other settings of sleep and update windows would cost the battery, and how late pictures would hang',
    body: z.object({
      sleepTime: z
        .union([z.string().max(20), z.number()])
        .optional()
        .describe('60 to 86400 seconds; the stored ones if left out'),
      updateSchedule: updateSchedule.nullish().describe('the stored one if left out, null for none'),
      maxWakesPerDay: z
        .union([z.string().max(4), z.number()])
        .nullish()
        .describe('1 to 1440; the stored bound if left out, null or empty text for none'),
    }),
    output: forecasts,
    async handle({ params, body, principal }) {
      const { sleepTime, maxWakesPerDay } = body;
      requireSettings({ sleepTime, maxWakesPerDay }, '');
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      const stored = settingsOfMeta(storedObject(device.meta));
      const at = clock.now();
      const known = device.serial === null ? undefined : await forecastFacts(db, device.serial, at);
      const settings = (sleepTime: unknown, schedule = stored.updateSchedule, bound = stored.maxWakesPerDay) => ({
        sleepSeconds: clampSleepSeconds(sleepTime),
        updateSchedule: schedule ?? null,
        maxWakesPerDay: bound ?? null,
      });
      const windows = body.updateSchedule === undefined ? undefined : windowsOf(body.updateSchedule);
      const bound =
        maxWakesPerDay === undefined ? undefined : (wholeOfSetting('maxWakesPerDay', maxWakesPerDay) ?? null);
      const now = forecastWakes(settings(stored.sleepTime), known, at);
      const then = forecastWakes(settings(sleepTime ?? stored.sleepTime, windows, bound), known, at);
      // The days left follow from the wakes as they were.
      const measured = known?.measuredPerDay ?? null;
      const left = (await factsOf(device, frames))?.batteryDaysLeft ?? null;
      const daysLeft = (perDay: number) => left && left * lastsTimes(measured ?? now.wakesPerDay, perDay);
      return {
        now: shown(now, daysLeft(now.wakesPerDay)),
        asked: shown(then, daysLeft(then.wakesPerDay)),
        lastsTimes: Math.round(lastsTimes(now.wakesPerDay, then.wakesPerDay) * 100) / 100,
        measuredWakesPerDay: measured === null ? null : tenth(measured),
      };
    },
  });
}
