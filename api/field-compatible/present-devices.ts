/** Devices as clients in the field read them (C-15, C-20 to C-27). */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { deviceChange } from '../devices/change-device.ts';
import { eventQuery } from '../devices/event-routes.ts';
import type { Call } from '../http/route.ts';
import { type Ask, asItComes, changesOf, listed, type Presentation, type Shown } from './presentation.ts';

const record = z.looseObject({});

/** The device beside an answer. */
async function deviceBeside(call: Call, ask: Ask, more: { readonly params?: unknown } = {}): Promise<Shown> {
  return withPending(await ask('GET /devices/:deviceId', call, more), call, ask);
}

/** Told, and never stored: a client that sends back what it read would make it last. */
const pendingField = 'currentFrameImageSyncPending';

/** C-57: which picture of the shown paper waits for the frame. Of one whose picture is in step nothing is asked. */
async function withPending(device: Shown, call: Call, ask: Ask): Promise<Shown> {
  const { pictureSynced, nextDeviceSync = null } = device.deviceStatus;
  if (device.deviceId === null || device.paper === null || pictureSynced === true) return device;
  const more = { params: { deviceId: device.id }, query: { limit: 10 } };
  const { results } = await ask('GET /devices/upload-logs/:deviceId', call, more);
  // The newest that is on its way: what was skipped, or could not be made, left another one to wait for.
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

/** An answer to a command with the device beside it, and the command's own word again under its name (C-27). */
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

/** By plain route. */
export const devicePresentations: Readonly<Record<string, Presentation>> = {
  'GET /devices/': listed,
  'GET /devices/:deviceId': {
    output: record,
    show: async (call, own, ask) => withPending(await own(), call, ask),
  },
  'POST /devices/:deviceId': {
    body: asItComes,
    output: record,
    async show(call, own, ask) {
      const shown = await ask('GET /devices/:deviceId', call, {});
      // The same paper, named again, ends what an image of the device's own took the place of (docs/decisions/0009).
      const body = changesOf(deviceChange, withoutPending(call.body), shown, ['paper']);
      return withPending(await own({ body }), call, ask);
    },
  },
  'GET /devices/ping/:deviceId': {
    // C-10: what is absent means false.
    query: z.object({ dataResponse: z.string().max(20).default('false') }),
    output: z.looseObject({ device: record, ping: z.looseObject({ success: z.boolean() }) }),
    async show(call, own, ask) {
      const ping = await own();
      return { ...ping, device: await deviceBeside(call, ask), ping };
    },
  },
  'POST /devices/reset/:deviceId': asked('reset'),
  'POST /devices/reboot/:deviceId': asked('reboot'),
  'GET /devices/events/:deviceId': {
    // C-10: no lower bound, and until now.
    query: eventQuery.extend({
      DateStart: eventQuery.shape.DateStart.default(0),
      DateEnd: eventQuery.shape.DateEnd.default(Number.MAX_SAFE_INTEGER),
    }),
    output: z.object({ message: z.array(record), device: record }),
    async show(call, own, ask) {
      const events: Shown[] = await own();
      const message = events.map((event) => ({ ...event, EventType: event.type, EventTimestamp: event.timestamp }));
      return { message, device: await deviceBeside(call, ask) };
    },
  },
  'POST /devices/registerdevice/:serial': {
    output: z.looseObject({ activation_status: z.string(), createdDevice: record.optional() }),
    async show(call, own, ask) {
      const mine: Shown[] = await ask('GET /devices/', call, {
        query: { organization: call.body.organization, search: call.params.serial },
      });
      const found = mine.find(({ deviceId }) => deviceId === call.params.serial.toLowerCase());
      if (call.body.enable === true) {
        // Doing it again changes nothing, unless the frame was reset, and says first to whom it is not allowed.
        const answer = await own();
        if (found === undefined || answer.activated) return shownRegistration(answer);
        // C-35
        const message = 'This frame is registered in this organization already';
        throw refuse('conflict', { message, device: answer.device });
      }
      // A client asks again with `enable: false` to hear how its registration goes: that must release nothing.
      if (found === undefined) return { activation_status: 'pending' };
      const created = await deviceBeside(call, ask, { params: { deviceId: found.id } });
      return shownRegistration({ activation_status: 'success', device: created });
    },
  },
};

function shownRegistration(answer: Shown): Shown {
  return answer.activation_status === 'success' ? { ...answer, createdDevice: answer.device } : answer;
}
