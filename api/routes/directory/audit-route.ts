/** The route of the log of who did what, for an organization's admins. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { camelOf } from '../../../runtime/database/camel-case.ts';
import { requireMembership } from '../../access/principal.ts';
import { type AuditRow, actorKinds, auditLog } from '../../audit/audit-log.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { auditActions, auditedKinds } from '../../http/audited.ts';
import { objectId, storedObject } from '../../http/field-shapes.ts';
import { wrongFieldIssue } from '../../http/fit-schema.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { momentField } from '../../http/time-of-iso.ts';

const defaultEntries = 50;
const maxEntries = 200;

const auditEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    who: z.object({
      by: z
        .enum(actorKinds)
        .describe(
          'what proved them; `address`: a temporary address that they were given; `operator`: a command on the machine of the service; `unproved`: nobody was signed in',
        ),
      name: z.string().describe('as it was then; empty for somebody without a place in the organization'),
      userId: z.string().nullable(),
      accountId: z.string().nullable(),
      key: z.object({ id: z.string(), name: z.string() }).nullable(),
    }),
    action: z.enum(auditActions),
    object: z.object({
      kind: z.enum(auditedKinds),
      id: z.string().nullable(),
      name: z.string().describe('as it was then'),
    }),
    address: z.string().describe('of the caller'),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  })
  .meta({ id: 'AuditEntry' });

const auditPage = z.object({
  entries: z.array(auditEntry),
  next: z.string().nullable().describe('`before` of the next page; null on the last'),
});

/** A time in ISO 8601, as epoch milliseconds. */
const moment = momentField(wrongFieldIssue('field-not-start', { example: '2026-01-31T08:00Z' }));

/** Returns the route. */
export function auditRoute({ db }: DirectoryDeps): AnyRoute {
  return route('GET /organizations/:organizationId/audit/', {
    summary: 'Who did what in the last 90 days, newest first; admins only',
    noStore: true,
    query: z.object({
      userId: objectId.describe('who did it').optional(),
      action: z.enum(auditActions).optional(),
      kind: z.enum(auditedKinds).describe('the kind of object').optional(),
      objectId: z.string().max(64).describe('what it was done to').optional(),
      from: moment.describe('included').optional(),
      until: moment.describe('excluded').optional(),
      before: objectId.describe('the last entry of the page before').optional(),
      limit: wholeNumber(1, maxEntries).optional(),
    }),
    output: auditPage,
    refuses: ['not-found', 'access-denied'],
    async handle({ params: { organizationId }, query, principal }) {
      requireMembership(principal, organizationId, 'manage');
      const { before, limit = defaultEntries, ...search } = query;
      const log = auditLog(db);
      const last = before === undefined ? undefined : await log.find(organizationId, before);
      if (before !== undefined && last === undefined) {
        throw refuse('invalid-request', { hint: reasonOf('field-entry-gone', { field: 'before' }) });
      }
      const rows = await log.page(organizationId, { ...search, before: last, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return { entries: shown.map(showEntry), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },
  });
}

function showEntry(row: AuditRow): z.input<typeof auditEntry> {
  return {
    id: row.id,
    at: isoTime(row.at),
    who: {
      by: row.actor,
      name: row.actor_name,
      ...camelOf(row, 'user_id', 'account_id'),
      key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
    },
    action: row.action,
    object: { kind: row.object_kind, id: row.object_id, name: row.object_name },
    address: row.address,
    values: storedObject(row.detail) as z.input<typeof auditEntry>['values'],
  };
}
