/**
 * Presents a frame's events as clients in the field read them: one list for both of the plain routes, with the
 * service's own types besides the two that the vendor's service knows. `activate` is any message of a frame that wakes
 * or is set up, `state` is how an update ended.
 */

import { z } from 'zod';
import { type EventType, eventTypes } from '../../gateway/frames/event-log.ts';
import { wrongFieldIssue } from '../http/fit-schema.ts';
import type { Call } from '../http/route.ts';
import { eventQuery } from '../routes/devices/event-routes.ts';
import type { Ask, Presentation, Shown } from './presentation.ts';

/** The vendor's types, each with the types of the service that it stands for. */
const vendorTypes: Readonly<Record<string, readonly EventType[]>> = {
  activate: ['hello', 'activate'],
  state: ['state', 'picture'],
};

const updateStates: Readonly<Record<string, string>> = { shown: 'update_ok', failed: 'update_failed' };

/** Returns the vendor's type of an event, and its text; the service's own type where the vendor has none. */
function vendorWords({ type, payload }: Shown): { readonly EventType: string; readonly json?: string } {
  if (type === 'hello') return { EventType: 'activate', json: wakeReport(payload) };
  if (type === 'state') return { EventType: 'state', json: JSON.stringify({ state: payload.state }) };
  const state = type === 'picture' ? updateStates[payload.stage] : undefined;
  return state === undefined ? { EventType: type } : { EventType: 'state', json: JSON.stringify({ state }) };
}

/** Writes the report in the words of fielded frames: each value is text. */
function wakeReport(report: Shown): string {
  const words = {
    file: report.fileVersion,
    fw: report.firmware,
    bat: report.batteryMv,
    wake: report.wake?.toUpperCase(),
    wifi: report.rssi,
    orient: report.orientation,
    timeout: report.storedTimeoutSeconds ?? report.sleepSeconds,
  };
  const known = Object.entries(words).filter(([, value]) => value !== undefined);
  return JSON.stringify(Object.fromEntries(known.map(([word, value]) => [word, String(value)])));
}

/** A type of either side, and the types of the service that it selects. */
const typeFilter = z
  .string()
  .max(200)
  .default('')
  .transform((text, context) => {
    const asked = text.split(',').flatMap((word) => word.trim() || []);
    const types = asked.flatMap((word) => vendorTypes[word] ?? eventTypes.filter((type) => type === word));
    if (asked.every((word) => types.some((type) => type === word))) return { asked, types };
    context.addIssue(wrongFieldIssue('field-some-of', { options: eventTypes.join(', ') }));
    return z.NEVER;
  });

/**
 * Presents a list of events with its device next to it.
 * @param deviceBeside reads that device for the same caller
 */
export function presentEvents(deviceBeside: (call: Call, ask: Ask) => Promise<Shown>): Presentation {
  return {
    // By default there is no lower bound, and the list reaches until now (C-10).
    query: z.object({
      DateStart: eventQuery.shape.DateStart.default(0),
      DateEnd: eventQuery.shape.DateEnd.default(Number.MAX_SAFE_INTEGER),
      TypeFilter: typeFilter,
    }),
    output: z.object({ message: z.array(z.looseObject({})), device: z.looseObject({}) }),
    async show(call, own, ask) {
      const { asked, types } = call.query.TypeFilter;
      const events: Shown[] = await own({ query: { ...call.query, TypeFilter: types } });
      const message = events
        .map((event) => ({ ...event, ...vendorWords(event), EventTimestamp: event.timestamp }))
        .filter(({ EventType, type }) => asked.length === 0 || asked.includes(EventType) || asked.includes(type));
      return { message, device: await deviceBeside(call, ask) };
    },
  };
}
