/** Routes that command a frame: ping, reboot, reset, identify. */

import { z } from 'zod';
import type { CommandOutcome } from '../../../gateway/commands/command-frame.ts';
import type { Ping } from '../../../gateway/commands/ping-frame.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { transact } from '../../../runtime/database/database.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { type DeviceRow, deviceStore } from '../../devices/store.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, type Call, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

const time = z.string().nullable();

const pinged = z.object({
  success: z.boolean(),
  reachable: z.boolean(),
  state: z.enum(['awake', 'silent', 'sleeping', 'overdue', 'unknown', 'no-frame']),
  roundTripMs: z.number().optional(),
  lastReachableAt: time,
  expectedWakeAt: time,
  data: z.record(z.string(), z.unknown()).optional(),
});

const asked = z.object({
  success: z.boolean(),
  message: z.string(),
  state: z.enum(['delivered', 'queued', 'refused', 'no-frame']),
  commandId: z.string().optional(),
  expectedAt: time,
});

type PingShown = z.input<typeof pinged>;
type AskedShown = z.input<typeof asked>;

type Command = 'reboot' | 'reset' | 'identify';

/** Asks a frame for something, and records in the log of who did what how that went. */
async function askFrame(
  { frames }: Pick<DeviceDeps, 'frames'>,
  { serial }: DeviceRow,
  { name, note }: { readonly name: Command; readonly note: Call['note'] },
): Promise<AskedShown> {
  const shown = showAsked(serial === null ? undefined : await frames.command(serial, { name }));
  note({ values: { state: shown.state } });
  return shown;
}

const plainCommands = [
  ['reboot', 'device.rebooted', 'Restart the frame, now or at its next wake'],
  ['identify', 'device.identified', 'Let the frame show which one it is, now or at its next wake'],
] as const;

export function commandRoutes(deps: DeviceDeps): AnyRoute[] {
  const ask = (device: DeviceRow, name: Command, note: Call['note']) => askFrame(deps, device, { name, note });
  return [
    route('GET /devices/ping/:deviceId', {
      summary: 'Whether the frame is there: asked when it is awake, answered at once when it sleeps',
      // Any text is allowed, because clients write "true" in the way of their language (C-10).
      query: z.object({ dataResponse: z.string().max(20) }),
      output: pinged,
      async handle({ params, query, principal }) {
        const { serial } = await requireDevice(deps.db, principal, params.deviceId, 'read');
        const waitForData = query.dataResponse.toLowerCase() === 'true';
        return showPing(serial === null ? undefined : await deps.frames.ping(serial, { waitForData }));
      },
    }),
    ...plainCommands.map(([name, action, summary]) =>
      route(`POST /devices/${name}/:deviceId`, {
        summary,
        audit: { action, on: 'device' },
        output: asked,
        async handle({ params, principal, note }) {
          return ask(await requireDevice(deps.db, principal, params.deviceId, 'write'), name, note);
        },
      }),
    ),
    route('POST /devices/reset/:deviceId', {
      summary: 'Put sleep and sensor settings back to their defaults; registration and picture stay',
      audit: { action: 'device.reset', on: 'device' },
      output: asked,
      async handle({ params, principal, note }) {
        const device = await transact(deps.db, async (trx) => {
          const found = await requireDevice(trx, principal, params.deviceId, 'write');
          if (found.serial !== null) await deviceStore(trx).change(found, withoutSettings(found, deps.clock.now()));
          return found;
        });
        return ask(device, 'reset', note);
      },
    }),
  ];
}

/** Deletes the settings that people made for the frame's sleep and sensors; its name and how it hangs stay. */
function withoutSettings(device: DeviceRow, now: number): Partial<DeviceRow> {
  const { sleepTime: _sleep, updateSchedule: _windows, ...meta } = storedObject(device.meta);
  const { alarmEnable: _alarm, takeOffsetTime: _offset, ...details } = storedObject(device.details);
  return { meta: JSON.stringify(meta), details: JSON.stringify(details), updated_at: now };
}

/** A ping always gets an answer (C-25). A device without a frame has nothing that could be asked. */
function showPing(ping: Ping | undefined): PingShown {
  if (ping === undefined) {
    return { success: false, reachable: false, state: 'no-frame', lastReachableAt: null, expectedWakeAt: null };
  }
  const { lastReachableAt, expectedWakeAt, ...found } = ping;
  return { ...found, lastReachableAt: isoTimeOrNull(lastReachableAt), expectedWakeAt: isoTimeOrNull(expectedWakeAt) };
}

/** Presents the outcome of a command. Success means that it is done or will be (C-27). */
function showAsked(outcome: CommandOutcome | undefined): AskedShown {
  if (outcome === undefined) {
    return { success: false, state: 'no-frame', message: wordsOf(reasonOf('device-no-frame')), expectedAt: null };
  }
  const { commandId, message } = outcome;
  const common = { commandId, expectedAt: isoTimeOrNull(outcome.expectedAt) };
  switch (outcome.state) {
    case 'answered':
      return { ...common, success: true, state: 'delivered', message: wordsOf(reasonOf('frame-awake-does')) };
    case 'sent':
      return { ...common, success: true, state: 'delivered', message: message ?? 'The frame was asked' };
    case 'queued':
      return { ...common, success: true, state: 'queued', message: wordsOf(reasonOf('frame-learns-later')) };
    case 'refused':
      return { ...common, success: false, state: 'refused', message: message ?? 'The frame refuses' };
  }
}
