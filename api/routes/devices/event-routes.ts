/** Routes of a frame's events, in both shapes of the contract. */

import { z } from 'zod';
import { type EventType, eventTypes } from '../../../gateway/frames/event-log.ts';
import { type FrameEvent, readEvents } from '../../../gateway/frames/read-events.ts';
import { type Reasons, readReason, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordedFacts } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { Principal } from '../../access/principal.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { wrongFieldIssue } from '../../http/fit-schema.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { momentField, timeOfIso } from '../../http/time-of-iso.ts';
import type { DeviceDeps } from './device-deps.ts';

/** The number of events in one answer. A caller that wants more asks again from the last one's time. */
const maxEvents = 2_000;

/** Reads a caller's time as epoch milliseconds, in UTC where no zone is given. */
const moment = momentField(wrongFieldIssue('field-not-moment'), (text) =>
  /^\d{1,15}$/.test(text) ? Number(text) : timeOfIso(text),
);

const isEventType = (word: string): word is EventType => eventTypes.some((type) => type === word);

const typeFilter = z
  .string()
  .max(200)
  .transform((text, context) => {
    const words = text.split(',').map((word) => word.trim());
    const types = words.filter(isEventType);
    if (text.trim() === '') return [];
    if (types.length === words.length) return types;
    context.addIssue(wrongFieldIssue('field-some-of', { options: eventTypes.join(', ') }));
    return z.NEVER;
  });

export const eventQuery = z.object({ DateStart: moment, DateEnd: moment, TypeFilter: typeFilter.default([]) });

const deviceEvent = z.object({
  id: z.string(),
  deviceId: z.string(),
  type: z.enum(eventTypes),
  payload: z.record(z.string(), z.unknown()),
  problems: spelledReasons.optional().describe('the problem of an alert for programs, sentence by sentence'),
  remedies: spelledReasons.optional().describe('what to do about it, in the same way'),
  timestamp: z.string(),
});

export function eventRoutes(deps: DeviceDeps): AnyRoute[] {
  async function eventsOf(
    deviceId: string,
    { DateStart: from, DateEnd: before, TypeFilter: types }: z.output<typeof eventQuery>,
    principal: Principal,
  ): Promise<FrameEvent[]> {
    const device = await requireDevice(deps.db, principal, deviceId, 'read');
    if (before < from) throw refuse('invalid-request', { hint: reasonOf('field-begins-late', { field: 'DateEnd' }) });
    if (device.serial === null) return [];
    return readEvents(deps.db, device.serial, { from, before, types, limit: maxEvents });
  }
  return [
    route('GET /devices/events/:deviceId', {
      summary: `What happened to the frame, in order; at most ${maxEvents} events an answer`,
      query: eventQuery,
      output: z.array(deviceEvent),
      async handle({ params, query, principal }) {
        const { deviceId } = params;
        const events = await eventsOf(deviceId, query, principal);
        return events.map(({ id, type, payload, at }) => ({
          id,
          deviceId,
          type,
          payload: wordedFacts(payload),
          ...problemsIn(payload),
          timestamp: isoTime(at),
        }));
      },
    }),
    route('GET /iotdevice/events/:deviceId', {
      summary: 'The same events in the shape of the frames’ side',
      query: eventQuery,
      output: z.array(deviceEvent.omit({ id: true }).extend({ eventId: z.string() })),
      async handle({ params, query, principal }) {
        const { deviceId } = params;
        const events = await eventsOf(deviceId, query, principal);
        return events.map(({ id, type, payload, at }) => ({
          eventId: id,
          deviceId,
          timestamp: isoTime(at),
          type,
          payload: wordedFacts(payload),
          ...problemsIn(payload),
        }));
      },
    }),
  ];
}

const reasonsIn = (value: unknown): Reasons => {
  const reason = readReason(value);
  return reason === undefined ? [] : [reason];
};

const problemsIn = ({ problem, remedy }: FrameEvent['payload']) => ({
  ...spelledAs('problems', reasonsIn(problem)),
  ...spelledAs('remedies', reasonsIn(remedy)),
});
