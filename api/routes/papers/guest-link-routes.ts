/** Routes by which members make, list and revoke guest links of a paper. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { membershipIn } from '../../access/principal.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import {
  type GuestLinkRow,
  guestLinksOf,
  makeGuestLink,
  revokeGuestLink,
  stateOfLink,
} from '../../papers/guest-links.ts';
import { isAlbum, showsUploads } from '../../papers/kinds.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import type { PaperDeps } from './paper-deps.ts';

const linkShown = z
  .object({
    id: z.string(),
    name: z.string().describe('Who it is for'),
    state: z.enum(['active', 'expired', 'revoked', 'used-up']),
    showsResult: z.boolean().describe('The guest may see the picture as the panel shows it'),
    maxPictures: z.number().nullable(),
    used: z.number().describe('Pictures that were sent with it'),
    usedAt: z.string().nullable(),
    createdAt: z.string(),
    endsAt: z.string().nullable(),
  })
  .meta({ id: 'GuestLink' });

type GuestLinkShown = z.output<typeof linkShown>;

const linkOptions = z.object({
  name: z.string().trim().min(1).max(100).describe('Who it is for; shown next to their pictures'),
  endsAt: z.iso.datetime({ offset: true }).nullable().describe('When it expires; never unless given').optional(),
  maxPictures: z.int().min(1).max(10_000).nullable().describe('As many as they like unless given').optional(),
  showsResult: z.boolean().describe('Whether the guest sees the picture as the panel shows it').optional(),
});

const showLink = (row: GuestLinkRow, now: number): GuestLinkShown => ({
  id: row.id,
  name: row.name,
  state: stateOfLink(row, now),
  showsResult: row.shows_result === 1,
  maxPictures: row.max_pictures,
  used: row.used,
  usedAt: isoTimeOrNull(row.used_at),
  createdAt: isoTime(row.created_at),
  endsAt: isoTimeOrNull(row.ends_at),
});

/** Returns the routes. */
export function guestLinkRoutes(deps: PaperDeps): AnyRoute[] {
  return [listRoute(deps), makeRoute(deps), revokeRoute(deps)];
}

function listRoute({ db, clock }: PaperDeps): AnyRoute {
  return route('GET /papers/:paperId/guest-links/', {
    summary: 'The guest links of a paper, the newest first; ended ones for 90 days',
    noStore: true,
    output: z.array(linkShown),
    async handle({ params, principal }) {
      const paper = await requirePaper(db, principal, params.paperId, 'write');
      return (await guestLinksOf(db, paper.id)).map((row) => showLink(row, clock.now()));
    },
  });
}

function makeRoute(deps: PaperDeps): AnyRoute {
  return route('POST /papers/:paperId/guest-links/', {
    summary:
      'Make a guest link: anyone who has its address can send pictures to this paper alone. The address is shown once',
    audit: { action: 'guest-link.made', on: 'paper', values: ['name'] },
    status: 201,
    noStore: true,
    body: linkOptions,
    output: linkShown.extend({ url: z.string().describe('Its secret stands behind the #, and is kept nowhere here') }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { paperId }, body, principal, caller }) {
      const now = deps.clock.now();
      const endsAt = body.endsAt == null ? null : Date.parse(body.endsAt);
      if (endsAt !== null && endsAt <= now)
        throw refuse('invalid-request', { hint: reasonOf('field-over', { field: 'endsAt' }) });
      const { row, token } = await transactOnPaper(deps.db, paperId, async (trx) => {
        const paper = await requirePaper(trx, principal, paperId, 'write');
        if (!isAlbum(paper.kind) && !showsUploads(paper.kind)) {
          const message = reasonOf('kind-takes-no-pictures', { kind: paper.kind });
          throw refuse('invalid-request', { message, hint: 'make the link for a paper of kind album or image' });
        }
        const { userId = '' } = membershipIn(principal, paper.organization_id) ?? {};
        const { name, maxPictures = null, showsResult = false } = body;
        return makeGuestLink(trx, deps, paper, { name, maxPictures, showsResult, endsAt, userId });
      });
      return { ...showLink(row, now), url: `${caller.origin().base}/console/guest#${token}` };
    },
  });
}

function revokeRoute({ db, clock }: PaperDeps): AnyRoute {
  return route('DELETE /papers/:paperId/guest-links/:linkId', {
    summary: 'Revoke a guest link; the pictures that were sent with it stay',
    audit: { action: 'guest-link.revoked', on: 'paper' },
    async handle({ params: { paperId, linkId }, principal }) {
      await requirePaper(db, principal, paperId, 'write');
      if ((await revokeGuestLink(db, paperId, linkId, clock.now())) === 0) throw refuse('not-found');
    },
  });
}
