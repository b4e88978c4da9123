/** The route of the stream of changes: server-sent events of everything that the caller may see. */
import { z } from 'zod';
import { roles } from '../../access/principal.ts';
import { maxStreams, maxStreamsPerAccount } from '../../changes/changes-hub.ts';
import { maxChangesPerSecond, maxNamedDevices } from '../../changes/listener.ts';
import { maxLookBackMs } from '../../changes/look.ts';
import { areas } from '../../changes/read-areas.ts';
import { recordDeeds } from '../../changes/read-records.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { changeShown } from './changes-route.ts';
import type { DeviceDeps } from './device-deps.ts';

const readyShown = z
  .object({ as: z.array(z.object({ organization: z.string(), role: z.enum(roles) })) })
  .describe('`ready`, first of all and whenever the caller’s roles or links change: reload what was read under others');

const recordShown = z
  .object({
    id: z.string(),
    at: z.string(),
    record: z.enum(['device', 'paper']),
    recordId: z.string(),
    what: z.enum(recordDeeds).describe('`removed` also when it went out of sight'),
  })
  .describe('`record`: a device or a paper was made, changed or removed');

const areaShown = z
  .object({
    at: z.string(),
    area: z.enum(Object.keys(areas) as [keyof typeof areas]),
    organization: z.string(),
    paper: z.string().nullable().describe('the paper that is meant, where the area is `paper` and it is one alone'),
  })
  .describe(
    '`area`: read again what you show of `people` (users, roles, keys, invitations), a `paper` (guest links, logins, sent pictures, connections, callbacks), `firmware` (rollouts), `alerts` or `audit`. Anyone who may not read it is not notified',
  );

const manyShown = z
  .object({ count: z.number(), deviceIds: z.array(z.string()).nullable() })
  .describe(
    `\`many\`: more than ${maxChangesPerSecond} changes a second. Read these devices again; null stands for all of them, when they are more than ${maxNamedDevices}`,
  );

const lostShown = z
  .object({ lost: z.literal(true) })
  .describe(
    `\`lost\`, after a break: it was longer than ${maxLookBackMs / 60_000} minutes, or the service was restarted. Read everything again`,
  );

export function changesStreamRoute({ changes }: DeviceDeps): AnyRoute {
  return route('GET /changes/stream', {
    summary: `What changes of all that the caller may see, as server-sent events; at most ${maxStreamsPerAccount} streams for an account and ${maxStreams} in all. Last-Event-ID resumes`,
    output: z.union([
      changeShown.describe('`change`: an event of a frame, or a delivery'),
      recordShown,
      areaShown,
      manyShown,
      readyShown,
      lostShown,
    ]),
    isEventStream: true,
    noStore: true,
    refuses: [],
    async handle({ principal, caller, headers }) {
      const given = headers['last-event-id'];
      const lastId = typeof given === 'string' && given !== '' ? given : undefined;
      caller.signal.throwIfAborted();
      return changes.subscribe({ principal, askAgain: () => caller.authenticate(), lastId });
    },
  });
}
