/** Who is signed in, and in which organization they look around. */
import { computed, signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type BodyOf, callApi, onSessionEnd, type Problem, sessionsBegun } from './call-api.ts';
import { entryCode, forgetEntry, takeEntry } from './entry.ts';
import { listen, startLive, stopLive } from './live.ts';
import { asProblem } from './resource.ts';
import { forgetTyped, keepTyped } from './typed-words.ts';

/** The answer of `GET /sessions/current`. */
type Me = Schemas['WhoAmI'];
/** The role in an organization; `access/principal.ts` says what each may do. */
export type MemberRole = Me['memberships'][number]['role'];

/** `undefined` while nobody knows, `null` when nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);
/** Why the console could not find out who is signed in. */
export const sessionProblem = signal<Problem | undefined>(undefined);

/** Whether a session ended by itself while its screens were shown. */
export const hasEnded = signal(false);

/** Joins the organization of the invitation: with the account that is signed in, else with a new one. */
export async function joinByInvitation(name: string, stays: boolean): Promise<void> {
  const inviteCode = entryCode('invite') ?? '';
  if (me.peek() === null) {
    await signIn({ inviteCode, name, stays });
    return;
  }
  await callApi('POST /users/join', { body: { inviteCode } });
  forgetEntry();
  await findSession();
}

/** A person who opens the operator's link wants to use the account that it was made for. */
function takeLink(): void {
  if (takeEntry() === 'code' && me.peek() !== undefined) me.value = null;
}

takeLink();
addEventListener('hashchange', takeLink);

const chosenOrganization = signal(localStorage.getItem('papergate-organization') ?? '');

/** The person whose session ended while the screens were shown: these stay below the login, with what was typed. */
const former = signal<Me | undefined>(undefined);

/** The membership whose organization is looked at: the one that was chosen last, else the first. */
export const membership = computed(() => {
  const all = (me.value ?? former.value)?.memberships ?? [];
  return all.find(({ organization }) => organization.id === chosenOrganization.value) ?? all[0];
});

/** The id of the organization that is looked at; empty without one. */
export const organizationId = computed(() => membership.value?.organization.id ?? '');

/** Whether the person sees papers: one of the roles shows pictures of frames alone. */
export const seesPapers = computed(() => membership.value?.role !== 'onlyself');
/** Whether the person may change things here. */
export const mayWrite = computed(() => ['admin', 'user'].includes(membership.value?.role ?? ''));
/** Whether the person may manage members, keys of others and the organization. */
export const mayManage = computed(() => membership.value?.role === 'admin');

/** Looks at another organization from now on. */
export function chooseOrganization(id: string): void {
  localStorage.setItem('papergate-organization', id);
  chosenOrganization.value = id;
}

/** Finds out who is signed in. What is typed on the screens stays when a session ends: the login is laid over it. */
export async function findSession(): Promise<void> {
  if (entryCode('code') !== undefined) {
    me.value = null;
    return;
  }
  try {
    me.value = await callApi('GET /sessions/current');
    former.value = undefined;
    sessionProblem.value = undefined;
    startLive(me.value.account.id);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status === 401) me.value = null;
    else sessionProblem.value = problem;
  }
}

/** Reads the person's rights again: somebody else changed them, or the name of an organization. */
async function rereadMemberships(): Promise<void> {
  const before = me.peek();
  const now = await callApi('GET /sessions/current').catch(() => undefined);
  // After a sign-out or sign-in meanwhile, this is somebody else.
  if (now !== undefined && before !== null && me.peek() === before) me.value = now;
}

listen(({ event, data }) => {
  if (event === 'ready' || (event === 'area' && data.area === 'people')) void rereadMemberships();
});

/** Signs in with a code of the operator's link, an API key, an invitation, or what the first run asks for. */
export async function signIn(given: BodyOf<'POST /sessions/'>): Promise<void> {
  await callApi('POST /sessions/', { body: given });
  await enter();
}

/** Continues as the person who has just signed in, in whatever way. */
export async function enter(): Promise<void> {
  forgetEntry();
  await goOn();
}

/** Goes on with the session of this browser, if there is one again: on a page that stayed open nothing has to be put back. */
export async function goOn(): Promise<void> {
  await findSession();
  if (!me.peek()) return;
  if (hasEnded.peek()) forgetTyped();
  hasEnded.value = false;
  sessionsBegun.value += 1;
}

// Anyone who signed in in another tab comes back to this one.
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && hasEnded.peek()) void goOn();
});

/** Ends the session, here and on the service. */
export async function signOut(): Promise<void> {
  await callApi('DELETE /sessions/current');
  endHere();
}

function endHere(): void {
  stopLive();
  me.value = null;
}

onSessionEnd(() => {
  const ended = me.peek();
  if (ended) {
    hasEnded.value = true;
    keepTyped(ended.account.id);
    former.value = ended;
  }
  endHere();
});

// A last letter may be typed while the answer that ends the session is under way.
addEventListener('pagehide', () => {
  const ended = former.peek();
  if (ended !== undefined && hasEnded.peek()) keepTyped(ended.account.id);
});
