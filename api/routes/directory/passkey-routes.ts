/** Routes of passkeys: making, listing and removing one's own, and signing in with one. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { type ReasonCode, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import type { Principal } from '../../access/principal.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import {
  addPasskey,
  creationOptions,
  type PasskeyRow,
  passkeysFor,
  removePasskey,
  renamePasskey,
} from '../../directory/passkeys.ts';
import { type PasskeyProblem, provePasskey, requestOptions } from '../../directory/prove-passkey.ts';
import { relyingParty } from '../../directory/relying-party.ts';
import { type SessionRow, sessionsFor } from '../../directory/sessions.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { admitSignIn, beginSession, requireOwnPage, signInCommon, stays } from './begin-session.ts';
import { assertion, attestation, optionsShown, passkeyName, passkeyShown } from './passkey-shapes.ts';

/** The routes. */
export function passkeyRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    challengeRoute(deps),
    signInByPasskey(deps),
    listRoute(deps),
    ...makeRoutes(deps),
    renameRoute(deps),
    removeRoute(deps),
  ];
}

function challengeRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/passkey/challenge', {
    noStore: true,
    summary: 'What a passkey has to sign to sign in: works once, within five minutes',
    access: 'anyone',
    output: optionsShown,
    refuses: ['conflict', 'access-denied'],
    audit: { none: 'nobody is known yet' },
    async admit(arrival) {
      requireOwnPage(arrival);
      await deps.limitChallenges.count(`address ${addressBucket(arrival.address)}`);
    },
    handle: async ({ headers, caller }) => ({
      ...(await requestOptions(deps, relyingParty(headers, caller.origin()))),
    }),
  });
}

function signInByPasskey(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/passkey', {
    ...signInCommon,
    summary: 'Sign in to the console with a passkey',
    body: z.object({ response: assertion, stays }),
    refuses: ['not-authenticated', 'access-denied', 'conflict'],
    admit: admitSignIn(deps),
    async handle(call) {
      const party = relyingParty(call.headers, call.caller.origin());
      const response = { ...call.body.response, clientExtensionResults: {} } as AuthenticationResponseJSON;
      const found = await provePasskey(deps, party, response);
      if ('problem' in found) {
        if ('row' in found) noteRefused(call, found);
        throw refusedPasskey(found);
      }
      const { row } = found;
      return beginSession(deps, call, call.body.stays, async () => ({
        accountId: row.account_id,
        way: 'passkey',
        passkeyId: row.id,
        keyId: row.key_id ?? undefined,
        onlyIn: row.organization_id ?? undefined,
      }));
    },
  });
}

/** Records in the log a passkey that may have been copied: its person, and anyone who manages, may want to know. */
function noteRefused(
  { note }: Pick<Parameters<AnyRoute['handle']>[0], 'note'>,
  { problem, row }: Extract<PasskeyProblem, { readonly row: PasskeyRow }>,
): void {
  const action = problem === 'copied' ? 'passkey.blocked' : 'session.refused';
  note({ accountId: row.account_id, refused: true, action, values: { by: 'passkey' } });
}

/** The answer to each problem. */
const problemReasons = {
  'not-proved': 'passkey-not-proved',
  unknown: 'passkey-unknown',
  copied: 'passkey-copied',
  blocked: 'passkey-blocked',
} as const satisfies Readonly<Record<PasskeyProblem['problem'], ReasonCode>>;

function refusedPasskey({ problem }: PasskeyProblem) {
  const isBlocked = problem === 'copied' || problem === 'blocked';
  return refuse('not-authenticated', {
    message: reasonOf(problemReasons[problem]),
    ...(isBlocked && { hint: reasonOf('passkey-blocked-remedy') }),
  });
}

function listRoute({ db }: DirectoryDeps): AnyRoute {
  return route('GET /passkeys/', {
    noStore: true,
    summary: 'The passkeys of the caller’s account',
    output: z.array(passkeyShown),
    refuses: [],
    async handle({ principal, caller }) {
      const rows = await passkeysFor(db, principal);
      const { ownHosts } = caller.origin();
      const keys = rows.flatMap(({ key_id: id }) => id ?? []);
      const names = new Map((await db('api_keys').whereIn('id', keys)).map(({ id, name }) => [id, name]));
      return rows.map((row) => showPasskey(row, ownHosts, names.get(row.key_id ?? '')));
    },
  });
}

const showPasskey = (
  row: PasskeyRow,
  ownHosts: readonly string[],
  keyName: string | undefined,
): z.input<typeof passkeyShown> => ({
  id: row.id,
  name: row.name,
  address: row.rp_id,
  worksHere: ownHosts.some((host) => new URL(`https://${host}`).hostname === row.rp_id),
  createdAt: isoTime(row.created_at),
  usedAt: isoTimeOrNull(row.used_at),
  blockedAt: isoTimeOrNull(row.blocked_at),
  endsWithKey: keyName ?? null,
});

function makeRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    route('POST /passkeys/challenge', {
      noStore: true,
      summary:
        'What a device has to sign to make a passkey: works once, within five minutes, in a session of the console',
      output: optionsShown,
      refuses: ['access-denied', 'conflict'],
      audit: { none: 'nothing is made yet' },
      async handle({ principal, headers, caller }) {
        await requireSession(deps, principal);
        return { ...(await creationOptions(deps, principal, relyingParty(headers, caller.origin()))) };
      },
    }),
    route('POST /passkeys/', {
      noStore: true,
      summary: 'Make a passkey of the caller’s account, in a session of the console',
      audit: { action: 'passkey.added', on: 'passkey', values: ['name'] },
      status: 201,
      body: z.object({ name: passkeyName, response: attestation }),
      output: passkeyShown,
      refuses: ['access-denied', 'conflict'],
      async handle({ principal, headers, caller, body }) {
        const session = await requireSession(deps, principal);
        const origin = caller.origin();
        const response = { ...body.response, clientExtensionResults: {} } as RegistrationResponseJSON;
        const row = await addPasskey(deps, session, relyingParty(headers, origin), { name: body.name, response });
        return showPasskey(row, origin.ownHosts, undefined);
      },
    }),
  ];
}

/**
 * Returns the caller's session. A program with a key has none, and makes no passkey: it would outlive the key.
 * @throws Refusal `access-denied`
 */
async function requireSession({ db, clock }: DirectoryDeps, principal: Principal): Promise<SessionRow> {
  const sessions = principal.sessionId === undefined ? [] : await sessionsFor(db, principal, clock.now());
  const own = sessions.find(({ id }) => id === principal.sessionId);
  if (own === undefined) throw refuse('access-denied', { message: reasonOf('passkey-needs-session') });
  return own;
}

function renameRoute({ db }: DirectoryDeps): AnyRoute {
  return route('PATCH /passkeys/:passkeyId', {
    noStore: true,
    summary: 'Name a passkey of the caller’s account',
    audit: { action: 'passkey.renamed', on: 'passkey', values: ['name'] },
    body: z.object({ name: passkeyName }),
    refuses: ['not-found'],
    async handle({ params, principal, body }) {
      if (!(await renamePasskey(db, principal, params.passkeyId, body.name))) throw refuse('not-found');
    },
  });
}

function removeRoute({ db }: DirectoryDeps): AnyRoute {
  return route('DELETE /passkeys/:passkeyId', {
    noStore: true,
    summary: 'Remove a passkey of the caller’s account; sessions that began with it end, but for the caller’s own',
    audit: { action: 'passkey.removed', on: 'passkey' },
    refuses: ['not-found'],
    async handle({ params, principal }) {
      if (!(await removePasskey(db, principal, params.passkeyId))) throw refuse('not-found');
    },
  });
}
