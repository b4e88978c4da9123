/** Devices as clients in the field read them (C-15, C-20 to C-27). */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { eventQuery } from '../devices/event-routes.ts';
import { listed, type Presentation, type Shown } from './presentation.ts';

const device = 'GET /devices/:deviceId';
const record = z.looseObject({});

/** An answer to a command with the device beside it, and the command's own word again under its name (C-27). */
function asked(name: 'reset' | 'reboot'): Presentation {
  return {
    output: z.looseObject({ message: z.string(), success: z.boolean(), device: record, [name]: record }),
    async show(call, own, ask) {
      const answer = await own();
      const { message, success } = answer;
      return { ...answer, device: await ask(device, call, {}), [name]: { message, success } };
    },
  };
}

/** By plain route. */
export const devicePresentations: Readonly<Record<string, Presentation>> = {
  'GET /devices/': listed,
  'GET /devices/ping/:deviceId': {
    // C-10: what is absent means false.
    query: z.object({ dataResponse: z.string().max(20).default('false') }),
    output: z.looseObject({ device: record, ping: z.looseObject({ success: z.boolean() }) }),
    async show(call, own, ask) {
      const ping = await own();
      return { ...ping, device: await ask(device, call, {}), ping };
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
      return { message, device: await ask(device, call, {}) };
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
        // Doing it again changes nothing, and says first to whom it is not allowed.
        const answer = await own();
        if (found === undefined) return shownRegistration(answer);
        // C-35
        const message = 'This frame is registered in this organization already';
        throw refuse('conflict', { message, device: answer.device });
      }
      // A client asks again with `enable: false` to hear how its registration goes: that must release nothing.
      if (found === undefined) return { activation_status: 'pending' };
      const created = await ask(device, call, { params: { deviceId: found.id } });
      return shownRegistration({ activation_status: 'success', device: created });
    },
  },
};

function shownRegistration(answer: Shown): Shown {
  return answer.activation_status === 'success' ? { ...answer, createdDevice: answer.device } : answer;
}
