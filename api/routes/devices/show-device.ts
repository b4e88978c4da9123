/** Presents a device as the HTTP contract does. */
import { z } from 'zod';
import { isoTime } from '../../../runtime/clock.ts';
import { dueOnDevice } from '../../deadlines/due-on-device.ts';
import type { ListedDeviceRow } from '../../devices/list-devices.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { openObject, storedObject } from '../../http/field-shapes.ts';
import type { FrameFacts, Frames } from './frames.ts';

/** A row of the device list. */
export const deviceListed = z
  .object({
    id: z.string(),
    name: z.string(),
    serialNumber: z.string().optional(),
    status: z.enum(['online', 'offline', 'error']),
    deviceId: z.string().nullable(),
    kind: z.string().nullable(),
    organization: z.string(),
    patient: z.string().nullable(),
    paper: z.string().nullable(),
    meta: openObject,
    simulated: z.boolean().describe('its frame is not hardware: the service plays it itself'),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'ListedDevice' });

/**
 * A device in an answer of its own. The objects are never null: clients in the field read their fields unchecked
 * (C-22).
 */
export const deviceShown = deviceListed
  .extend({
    deviceStatus: openObject,
    iotDevice: openObject,
    shadow: openObject,
    intake: openObject.optional(),
    payment: openObject.optional(),
    alarmEnable: z.number().optional(),
    takeOffsetTime: z.number().optional(),
    deadlines: z
      .array(dueOnDevice)
      .describe('what is due there around now: of one device that is asked for, by callers who see the organization')
      .optional(),
    loadedAt: z.string(),
  })
  .meta({ id: 'Device' });

type DeviceListed = z.input<typeof deviceListed>;
type DeviceShown = z.input<typeof deviceShown>;

const defaultSleepSeconds = 3600;

// Below, a missing field is `undefined` and is not left out by a spread: a spread in the midst of a literal costs more
// than all the rest of showing a device.

/** Presents a row of a list. `frame` holds what is known of its frame; a device without one is offline. */
export function listDevice(
  row: ListedDeviceRow,
  frame: Pick<FrameFacts, 'status' | 'isSimulated'> | undefined,
): DeviceListed {
  return {
    id: row.id,
    name: row.name,
    serialNumber: row.serial ?? undefined,
    status: frame?.status ?? 'offline',
    deviceId: row.serial,
    kind: row.kind,
    organization: row.organization_id,
    patient: row.patient,
    paper: row.paper_id,
    meta: storedObject(row.meta),
    simulated: frame?.isSimulated ?? false,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** Presents a device with everything that is known of its frame. */
export async function showDevice(row: DeviceRow, frames: Frames, now: number): Promise<DeviceShown> {
  const facts = await factsOf(row, frames);
  const details = storedObject(row.details);
  const listed = listDevice(row, facts);
  return Object.assign(details, listed, {
    deviceStatus: facts === undefined ? withoutPicture : statusOf(listed.meta, facts),
    iotDevice: hardwareOf(details.iotDevice, row, facts),
    shadow: facts === undefined ? {} : { desired: { sleepSeconds: presentSleep(facts) }, reported: reportedBy(facts) },
    loadedAt: isoTime(now),
  });
}

/** Merges the stored description of the hardware with the values that are known better: its serial and its firmware. */
function hardwareOf(written: unknown, { serial }: DeviceRow, facts: FrameFacts | undefined): Record<string, unknown> {
  const hardware: Record<string, unknown> = typeof written === 'object' ? { ...written } : {};
  if (serial !== null) hardware.serialNumber = serial;
  if (facts !== undefined && facts.firmware !== null) hardware.fwVersion = facts.firmware;
  if (facts?.firmwareLatest) hardware.fwVersionLatest = facts.firmwareLatest;
  return hardware;
}

/** Reads what the gateway knows of this device's frame. */
export async function factsOf(row: DeviceRow, frames: Frames): Promise<FrameFacts | undefined> {
  return row.serial === null ? undefined : frames.status(row.serial);
}

/** The status of a device that waits for its frame: it has no picture, and none is on its way (C-24). */
const withoutPicture = { pictureSynced: false, updatePending: 'update_ok' } as const;

/**
 * Presents the status under the names that clients read: times are numbers, the battery is text in millivolts (C-23).
 */
function statusOf(meta: DeviceListed['meta'], facts: FrameFacts): Record<string, unknown> {
  // A sleeping frame reported on the picture before, so its report does not count while an update is pending (C-24);
  // the report itself stands in its shadow. Clients want a value even for a frame that has not reported, and for one
  // that was offered nothing: it is not in step, with nothing pending.
  const pictureSynced = facts.pictureSynced === true && !facts.updatePending;
  return {
    batLevel: facts.batteryMv === null ? undefined : String(facts.batteryMv),
    batteryDaysLeft: facts.batteryDaysLeft ?? undefined,
    nextDeviceSync: facts.expectedWakeAt,
    lastReachableAgo: facts.lastContactAt,
    pictureSynced,
    updatePending: facts.updatePending ? 'update_pending' : 'update_ok',
    sleepTime: askedSleepSeconds(meta),
    sleepTimePredict: presentSleep(facts),
    fileVersion: facts.fileVersion,
    fwVersion: facts.firmware ?? undefined,
  };
}

/** The sleep that the frame has, where it is one that ends for what is planned; else the one that was set. */
export function presentSleep({ sleepSeconds, keptSleepSeconds, toldSleep }: FrameFacts): number {
  const isPlanned = toldSleep !== null && toldSleep.end !== 'longest' && toldSleep.seconds === keptSleepSeconds;
  return isPlanned ? toldSleep.seconds : sleepSeconds;
}

/** Returns the time in seconds that a person set as text, and an hour when it cannot be read (C-60). */
function askedSleepSeconds({ sleepTime }: DeviceListed['meta']): number {
  const seconds = typeof sleepTime === 'string' || typeof sleepTime === 'number' ? Number(sleepTime) : Number.NaN;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : defaultSleepSeconds;
}

function reportedBy(facts: FrameFacts): Record<string, unknown> {
  const { connected, kind, panel, firmware, fileVersion, pictureSynced, keptSleepSeconds } = facts;
  return { connected, kind, panel, firmware, fileVersion, pictureSynced, sleepSeconds: keptSleepSeconds };
}
