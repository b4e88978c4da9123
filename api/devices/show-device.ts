/** A device as the HTTP contract shows it (A-12 to A-14, C-20, C-22). */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { openObject, storedObject } from '../http/field-shapes.ts';
import type { FrameFacts, Frames } from './frames.ts';
import type { DeviceRow } from './store.ts';

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
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'ListedDevice' });

/** A device read alone. The objects are never null: clients in the field read their fields unasked (C-22). */
export const deviceShown = deviceListed
  .extend({
    deviceStatus: openObject,
    iotDevice: openObject,
    shadow: openObject,
    intake: openObject.optional(),
    payment: openObject.optional(),
    alarmEnable: z.number().optional(),
    takeOffsetTime: z.number().optional(),
    loadedAt: z.string(),
  })
  .meta({ id: 'Device' });

export type DeviceListed = z.input<typeof deviceListed>;
export type DeviceShown = z.input<typeof deviceShown>;

const usualSleepSeconds = 3600;

// Below, a field that is not there is `undefined` rather than spread into its object: a spread in the midst of a literal
// costs more than all the rest of showing a device.

/** A list row. `frame` is what its frame adds: a device without one is offline. */
export function listDevice(
  row: Omit<DeviceRow, 'details' | 'assignment'>,
  frame: Pick<FrameFacts, 'status'> | undefined,
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
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** A device with everything known of its frame. */
export async function showDevice(row: DeviceRow, frames: Frames, now: number): Promise<DeviceShown> {
  const facts = await factsOf(row, frames);
  const details = storedObject(row.details);
  const listed = listDevice(row, facts);
  return Object.assign(details, listed, {
    deviceStatus: facts === undefined ? {} : statusOf(listed.meta, facts),
    iotDevice: hardwareOf(details.iotDevice, row, facts),
    shadow: facts === undefined ? {} : { desired: { sleepSeconds: facts.sleepSeconds }, reported: reportedBy(facts) },
    loadedAt: isoTime(now),
  });
}

/** What was written down of the hardware, with what is known better: its serial and its firmware. */
function hardwareOf(written: unknown, { serial }: DeviceRow, facts: FrameFacts | undefined): Record<string, unknown> {
  const hardware: Record<string, unknown> = typeof written === 'object' ? { ...written } : {};
  if (serial !== null) hardware.serialNumber = serial;
  if (facts !== undefined && facts.firmware !== null) hardware.fwVersion = facts.firmware;
  if (facts?.firmwareLatest) hardware.fwVersionLatest = facts.firmwareLatest;
  return hardware;
}

/** What the frames' side knows of this device's frame. */
export async function factsOf(row: DeviceRow, frames: Frames): Promise<FrameFacts | undefined> {
  return row.serial === null ? undefined : frames.status(row.serial);
}

/** C-23 to C-25: times are numbers, the battery is text in millivolts, the names are those that clients read. */
function statusOf(meta: DeviceListed['meta'], facts: FrameFacts): Record<string, unknown> {
  // C-24: what a sleeping frame said was of the picture before. Its own word stands in its shadow.
  const pictureSynced = facts.updatePending ? false : facts.pictureSynced;
  return {
    batLevel: facts.batteryMv === null ? undefined : String(facts.batteryMv),
    batteryDaysLeft: facts.batteryDaysLeft ?? undefined,
    nextDeviceSync: facts.expectedWakeAt,
    lastReachableAgo: facts.lastContactAt,
    pictureSynced,
    updatePending: pictureSynced === null ? null : pictureSynced ? 'update_ok' : 'update_pending',
    sleepTime: askedSleepSeconds(meta),
    sleepTimePredict: facts.sleepSeconds,
    fileVersion: facts.fileVersion,
    fwVersion: facts.firmware ?? undefined,
  };
}

/** C-60: text in seconds, and an hour when it cannot be read. */
function askedSleepSeconds({ sleepTime }: DeviceListed['meta']): number {
  const seconds = typeof sleepTime === 'string' || typeof sleepTime === 'number' ? Number(sleepTime) : Number.NaN;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : usualSleepSeconds;
}

function reportedBy(facts: FrameFacts): Record<string, unknown> {
  const { connected, kind, panel, firmware, fileVersion, pictureSynced, keptSleepSeconds } = facts;
  return { connected, kind, panel, firmware, fileVersion, pictureSynced, sleepSeconds: keptSleepSeconds };
}
