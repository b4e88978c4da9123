/** Presents devices as clients in the field read them. */

import { z } from 'zod';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import { vendorsMv } from '../../gateway/frames/battery.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { overtaken } from '../delivery-state/upload-attempts.ts';
import { wholeOfSetting } from '../devices/frame-settings.ts';
import type { Call } from '../http/route.ts';
import { deviceChange } from '../routes/devices/change-device.ts';
import { presentEvents } from './present-events.ts';
import {
  type Ask,
  asItComes,
  fieldChanges,
  listed,
  type Presentation,
  type Shown,
  withShortNames,
} from './presentation.ts';

const record = z.looseObject({});

/** Takes the sleep that is nearest to a number of seconds: clients in the field choose any, as text (C-60). */
function withNearestSleep(body: Shown): Shown {
  const sleepTime = body.meta?.sleepTime;
  const isOutside = wholeOfSetting('sleepTime', sleepTime) === undefined && Number(sleepTime) > 0;
  if (!isOutside) return body;
  return { ...body, meta: { ...body.meta, sleepTime: String(clampSleepSeconds(Number(sleepTime))) } };
}

/** Reads the device that stands next to an answer. */
async function deviceBeside(call: Call, ask: Ask, more: { readonly params?: unknown } = {}): Promise<Shown> {
  return fielded(await ask('GET /devices/:deviceId', call, more), call, ask);
}

/** Presents a device that is read alone. */
const fielded = async (device: Shown, call: Call, ask: Ask): Promise<Shown> =>
  withVendorsVoltage(withoutUnknownTimes(withShadowState(await withPending(device, call, ask))));

/** Leaves out unknown times: the vendor's application takes null for the year 1970, and an absent time for unknown. */
function withoutUnknownTimes(device: Shown): Shown {
  const { nextDeviceSync, lastReachableAgo, ...known } = device.deviceStatus;
  const times = {
    ...((nextDeviceSync ?? null) !== null && { nextDeviceSync }),
    ...((lastReachableAgo ?? null) !== null && { lastReachableAgo }),
  };
  return { ...device, deviceStatus: { ...known, ...times } };
}

/**
 * Gives the charge of a battery as the voltage that the vendor's four cells have with it: clients make a percentage of the
 * millivolts, and one lithium cell, which never has 4.4 V, would be empty to them.
 */
function withVendorsVoltage(device: Shown): Shown {
  const { deviceId: serial, deviceStatus } = device;
  if (typeof serial !== 'string' || typeof deviceStatus.batLevel !== 'string') return device;
  const batLevel = String(vendorsMv(serial, Number(deviceStatus.batLevel)));
  return { ...device, deviceStatus: { ...deviceStatus, batLevel } };
}

/** Puts the shadow below `state`, as the vendor's service does (section 5). */
function withShadowState(device: Shown): Shown {
  return { ...device, shadow: { ...device.shadow, state: device.shadow } };
}

/** The field is sent and never stored: a client that sends back what it read would make it permanent. */
const pendingField = 'currentFrameImageSyncPending';

/** Adds the picture of the shown paper that waits for the frame (C-57). Without a pending picture nothing is read. */
async function withPending(device: Shown, call: Call, ask: Ask): Promise<Shown> {
  const { pictureSynced, nextDeviceSync = null } = device.deviceStatus;
  if (device.deviceId === null || device.paper === null || pictureSynced === true) return device;
  const more = { params: { deviceId: device.id }, query: { limit: 10 } };
  const { results } = await ask('GET /devices/upload-logs/:deviceId', call, more);
  // The newest attempt on its way counts: a skipped or failed one left another picture to wait for.
  const newest = results.find(({ status, stages }: Shown) => status === 'started' || stages.length > 0);
  if (newest?.paperId !== device.paper || newest.stages.some(({ stage }: Shown) => stage === 'shown')) return device;
  const pending = { paperId: newest.paperId, queuedAt: newest.startedAt, nextDeviceSync };
  return { ...device, meta: { ...device.meta, [pendingField]: pending } };
}

function withoutPending(body: Shown): Shown {
  if (typeof body.meta !== 'object' || body.meta === null) return body;
  const { [pendingField]: _, ...meta } = body.meta;
  return { ...body, meta };
}

/**
 * Presents the answer to a command with the device next to it, and the command's own result again under its name (C-27).
 */
function asked(name: 'reset' | 'reboot'): Presentation {
  return {
    output: z.looseObject({ message: z.string(), success: z.boolean(), device: record, [name]: record }),
    async show(call, own, ask) {
      const answer = await own();
      const { message, success } = answer;
      return { ...answer, device: await deviceBeside(call, ask), [name]: { message, success } };
    },
  };
}

/** The presentations by plain route. */
export const devicePresentations: Readonly<Record<string, Presentation>> = {
  'GET /devices/': listed,
  'GET /devices/:deviceId': {
    output: record,
    show: async (call, own, ask) => fielded(await own(), call, ask),
  },
  'POST /devices/:deviceId': {
    body: asItComes,
    output: record,
    async show(call, own, ask) {
      const shown = await ask('GET /devices/:deviceId', call, {});
      // An update that names a paper, even the same one, ends the showing of the device's own image
      // (docs/decisions/0009).
      const body = fieldChanges(deviceChange, withoutPending(call.body), shown, ['paper']);
      return fielded(await own({ body: withNearestSleep(withShortNames(body, shown)) }), call, ask);
    },
  },
  'POST /devices/': { output: record, show: async (_call, own) => withShadowState(await own()) },
  'DELETE /devices/:deviceId': { output: record, show: async (_call, own) => withShadowState(await own()) },
  'GET /devices/ping/:deviceId': {
    // An absent parameter means false (C-10).
    query: z.object({ dataResponse: z.string().max(20).default('false') }),
    output: z.looseObject({ device: record, ping: z.looseObject({ success: z.boolean() }) }),
    async show(call, own, ask) {
      const ping = await own();
      return { ...ping, device: await deviceBeside(call, ask), ping };
    },
  },
  'POST /devices/uploadSingleImage/:deviceId': {
    output: record,
    async show(_call, own) {
      const answer = await own();
      // Clients read the result of an upload where an upload to a paper reports it (C-28).
      const { key, similarityPercentage, skippedUpload, uploadAttemptId, reason } = answer.iotUpload;
      return { ...answer, key, similarityPercentage, skippedUpload, uploadAttemptId, reason };
    },
  },
  'POST /devices/reset/:deviceId': asked('reset'),
  'POST /devices/reboot/:deviceId': asked('reboot'),
  'GET /devices/upload-logs/:deviceId': {
    output: z.object({ results: z.array(record) }),
    async show(_call, own) {
      const { results } = await own();
      return { results: results.map(withoutOvertaken) };
    },
  },
  'GET /devices/events/:deviceId': presentEvents(deviceBeside),
  'GET /iotdevice/events/:deviceId': presentEvents(deviceBeside),
  'POST /devices/registerdevice/:serial': {
    output: z.looseObject({ activation_status: z.string(), createdDevice: record.optional() }),
    async show(call, own, ask) {
      const mine: Shown[] = await ask('GET /devices/', call, {
        query: { organization: call.body.organization, search: call.params.serial },
      });
      const found = mine.find(({ deviceId }) => deviceId === call.params.serial.toLowerCase());
      if (call.body.enable === true) {
        // A repetition changes nothing, unless the frame was reset, and refuses first those to whom it is not allowed.
        const given = await own();
        const answer = { ...given, device: withShadowState(given.device) };
        if (found === undefined || answer.activated) return shownRegistration(answer);
        // A device that is registered here already is answered as a conflict with that device (C-35).
        const message = 'This frame is registered in this organization already';
        throw refuse('conflict', { message, device: answer.device });
      }
      // A client asks again with `enable: false` to learn how its registration goes: that must release nothing.
      if (found === undefined) return { activation_status: 'pending' };
      const created = await deviceBeside(call, ask, { params: { deviceId: found.id } });
      return shownRegistration({ activation_status: 'success', device: created });
    },
  },
};

/** An upload that was overtaken is a failed one to clients in the field, which know four states. */
function withoutOvertaken(entry: Shown): Shown {
  if (entry.status !== 'overtaken') return entry;
  return { ...entry, status: 'failed', failures: [{ message: wordsOf(overtaken), at: entry.finishedAt }] };
}

function shownRegistration(answer: Shown): Shown {
  return answer.activation_status === 'success' ? { ...answer, createdDevice: answer.device } : answer;
}
