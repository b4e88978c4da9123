/** Routes of pairings: a signed-in browser lets in another one of the same person. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { Principal } from '../../access/principal.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import {
  beginPairing,
  chooseNumber,
  endPairing,
  type PairingRow,
  pairingOf,
  pairingOfTicket,
  pairingStates,
  scanCode,
  usePairing,
} from '../../directory/pairings.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { admitSignIn, beginSession, requireOwnPage, stays } from './begin-session.ts';

const pairingShown = z
  .object({
    id: z.string(),
    state: z.enum(pairingStates),
    browser: z.string().nullable().describe('what the other browser says of itself'),
    choices: z.array(z.number()).describe('one of them stands on the other device'),
    endsAt: z.string(),
  })
  .meta({ id: 'Pairing' });

const showPairing = (row: PairingRow): z.input<typeof pairingShown> => ({
  id: row.id,
  state: row.state,
  browser: row.browser,
  choices: row.state === 'scanned' && row.choices !== null ? JSON.parse(row.choices) : [],
  endsAt: isoTime(row.ends_at),
});

const secret = z.string().min(1).max(100);

/** The routes. */
export function pairingRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [...firstBrowsers(deps), ...otherBrowsers(deps)];
}

/**
 * Returns the caller's session, which the session of the browser that is let in depends on.
 * @throws Refusal `access-denied` for a program with a key
 */
function sessionIn({ sessionId }: Principal): string {
  if (sessionId === undefined) throw refuse('access-denied', { message: reasonOf('pairing-needs-session') });
  return sessionId;
}

function firstBrowsers(deps: DirectoryDeps): AnyRoute[] {
  return [
    route('POST /sessions/pairings/', {
      noStore: true,
      summary: 'Begin to let another device of one’s own in. The code is shown once, opens once, within two minutes',
      audit: { none: 'nobody is let in yet' },
      status: 201,
      output: pairingShown.extend({
        url: z.string().describe('to be shown as a QR code: the code stands behind the #'),
      }),
      refuses: ['access-denied'],
      async handle({ principal, caller }) {
        const sessionId = sessionIn(principal);
        await deps.limitSignIns.count(`pairings of ${principal.accountId}`);
        const { code, row } = await beginPairing(deps, sessionId);
        return { ...showPairing(row), url: `${caller.origin().base}/console/#pair=${code}` };
      },
    }),
    route('GET /sessions/pairings/:pairingId', {
      noStore: true,
      summary: 'How far a pairing is, and the numbers to choose from',
      output: pairingShown,
      refuses: ['not-found', 'access-denied'],
      async handle({ params, principal }) {
        const row = await pairingOf(deps, sessionIn(principal), params.pairingId);
        if (row === undefined) throw refuse('not-found');
        return showPairing(row);
      },
    }),
    route('POST /sessions/pairings/:pairingId/confirm', {
      noStore: true,
      summary: 'Choose the number that the other device shows. A wrong one ends the pairing',
      audit: { action: 'pairing.refused', on: 'session' },
      body: z.object({ number: z.int().min(0).max(99) }),
      output: z.object({ isRight: z.boolean() }),
      refuses: ['not-found', 'access-denied'],
      async handle({ params, principal, body, note }) {
        const sessionId = sessionIn(principal);
        if ((await pairingOf(deps, sessionId, params.pairingId)) === undefined) throw refuse('not-found');
        const isRight = await chooseNumber(deps, sessionId, { id: params.pairingId, number: body.number });
        // The sign-in itself is recorded when it happens.
        note(isRight ? { nothing: true } : { id: sessionId });
        return { isRight };
      },
    }),
    route('DELETE /sessions/pairings/:pairingId', {
      noStore: true,
      summary: 'End a pairing: it no longer lets anybody in',
      audit: { none: 'nobody is let in' },
      refuses: ['not-found', 'access-denied'],
      async handle({ params, principal }) {
        if (!(await endPairing(deps.db, sessionIn(principal), params.pairingId))) throw refuse('not-found');
      },
    }),
  ];
}

function otherBrowsers(deps: DirectoryDeps): AnyRoute[] {
  return [
    route('POST /sessions/pairing/scan', {
      noStore: true,
      summary: 'Open the code of a pairing, once: gives the number to show, and a ticket to come back with',
      access: 'anyone',
      body: z.object({ code: secret }),
      output: z.object({ ticket: z.string(), number: z.number(), endsAt: z.string() }),
      refuses: ['not-authenticated', 'access-denied'],
      audit: { none: 'nobody is let in yet' },
      admit: admitSignIn(deps),
      async handle({ body, headers }) {
        const { endsAt, ...scanned } = await scanCode(deps, body.code, headers['user-agent']);
        return { ...scanned, endsAt: isoTime(endsAt) };
      },
    }),
    route('POST /sessions/pairing', {
      noStore: true,
      summary: 'Ask whether the number was chosen; if so, sign in',
      access: 'anyone',
      body: z.object({ ticket: secret, stays }),
      output: z.object({ isSignedIn: z.boolean() }),
      setsCookie: 'papergate_session, HttpOnly and SameSite=Strict, once the number was chosen',
      refuses: ['not-authenticated', 'access-denied'],
      audit: { action: 'session.started', on: 'session' },
      admit: async (arrival) => requireOwnPage(arrival),
      async handle(call) {
        const row = await pairingOfTicket(deps, call.body.ticket);
        if (row.state === 'scanned') {
          call.note({ nothing: true });
          return { isSignedIn: false };
        }
        await beginSession(deps, call, call.body.stays, (trx) => usePairing(trx, row));
        return { isSignedIn: true };
      },
    }),
  ];
}
