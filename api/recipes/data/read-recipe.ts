/**
 * Reads the data of a recipe: what it brings along, or what its addresses answer. An address that fails keeps the data that
 * it gave last, with their age.
 */

import { hash } from 'node:crypto';
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import { parseUrl } from '../../../runtime/read-address.ts';
import type { AddressLogin } from '../../outgoing/address-login.ts';
import type { FollowDeps } from '../../outgoing/follow-redirects.ts';
import type { Recipe } from '../package/recipe.ts';
import type { FieldValues } from '../package/recipe-fields.ts';
import type { PollRequest } from '../work/poll-requests.ts';
import type { GivenAnswer, ReadOutcome } from '../work/recipe-jobs.ts';
import type { RecipeThreads } from '../work/recipe-threads.ts';
import { type AskedSource, askSource } from './ask-source.ts';
import { type Concealer, concealer } from './conceal.ts';
import type { KeptAnswer, KeptData } from './kept-data.ts';

export interface PollDeps {
  readonly clock: Clock;
  readonly follow: FollowDeps;
  readonly work: RecipeThreads['work'];
}

/** A recipe whose data are wanted, with the values of its fields as templates get them. */
export interface Polling {
  readonly sharer: Sharer;
  readonly recipe: Recipe;
  readonly values: FieldValues;
  /** Whether some of the values are secrets. */
  readonly hasSecrets: boolean;
  /** The secrets, which are kept out of what is stored of answers. */
  readonly secrets?: readonly unknown[];
  readonly logins: readonly AddressLogin[];
  readonly timeZone: string;
  /** The variables that its program sees besides the data. */
  readonly seen: Readonly<Record<string, unknown>>;
  readonly kept: KeptData | undefined;
  /** The hosts that secrets may go to; undefined for those that are asked now. */
  readonly hosts: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Data that can be shown, or why nothing could even be asked; what is kept stays then. */
export type Polled = { readonly ok: true; readonly kept: KeptData } | { readonly ok: false; readonly reason: Reason };

/** The most addresses of one recipe. */
const maxAddresses = 10;

const digest = (value: unknown): string => hash('sha256', JSON.stringify(value));

/** The digest of what a recipe is asked with. */
export const askedAs = ({ recipe, values }: Pick<Polling, 'recipe' | 'values'>): string =>
  digest([asks(recipe.settings), recipe.transform ?? '', values]);

const asks = ({ addresses, headers, body, isPost }: Recipe['settings']): unknown => [addresses, headers, body, isPost];

/** A text that is not an address may be a secret as a whole. */
const hostOf = ({ url }: PollRequest): string => parseUrl(url)?.host ?? '…';

/** Returns the hosts of requests, each once. */
export const hostsOf = (requests: readonly PollRequest[]): readonly string[] => [...new Set(requests.map(hostOf))];

/** Asks every address of a recipe. */
export async function pollRecipe(deps: PollDeps, polling: Polling): Promise<Polled> {
  const { sharer, recipe, values, kept, timeZone } = polling;
  const now = deps.clock.now();
  const made = await deps.work(sharer, { do: 'requests', settings: recipe.settings, values, now, timeZone });
  const conceal = concealer(polling.secrets ?? []);
  if (!made.ok) return { ok: false, reason: conceal.reason(made.reason) };
  const { requests } = made.done;
  const refused = whyNotAsked(requests, polling);
  if (refused !== undefined) return { ok: false, reason: refused };
  const before = requests.map((request, at) => keptOf(polling, request, { at, of: requests.length }));
  const asked = await Promise.all(requests.map((request, at) => ask(deps, polling, request, before[at])));
  const given = asked.map((one, at) => givenAnswer(one, before[at]));
  const read = await deps.work(sharer, {
    do: 'data',
    answers: given,
    place: { now, timeZone },
    seen: polling.seen,
    ...(recipe.transform !== undefined && { transform: recipe.transform }),
  });
  const answers = requests.map((request, at) =>
    answerNow({
      request,
      asked: asked[at],
      before: before[at],
      read: read.ok ? concealed(read.done.each[at], conceal) : null,
      problem: read.ok ? undefined : read.reason,
      now,
    }),
  );
  if (!read.ok) {
    const isKept = kept?.data !== undefined && before.some((answer) => answer?.read !== undefined);
    return isKept ? { ok: true, kept: { ...kept, polledAt: now, answers } } : read;
  }
  const data = conceal.text(read.done.data);
  const failed = read.done.failed === undefined ? undefined : conceal.text(read.done.failed);
  const hasData = answers.some((answer) => answer.read !== undefined);
  const isChanged = hasData && data !== kept?.data;
  const changedAt = isChanged ? now : kept?.changedAt;
  return {
    ok: true,
    kept: {
      askedAs: askedAs(polling),
      polledAt: now,
      answers,
      ...(hasData && { data }),
      ...(changedAt !== undefined && { changedAt }),
      ...(failed !== undefined && { failed }),
      hosts: polling.hosts ?? hostsOf(requests),
    },
  };
}

/** RC-97: a secret goes to the hosts alone that the recipe asked when it was typed. */
function whyNotAsked(requests: readonly PollRequest[], { hasSecrets, hosts }: Polling): Reason | undefined {
  if (requests.length === 0) return reasonOf('recipe-no-address');
  if (requests.length > maxAddresses) return reasonOf('recipe-many-addresses', { most: maxAddresses });
  const isOther = (host: string): boolean => hasSecrets && hosts !== undefined && !hosts.includes(host);
  const other = requests.map(hostOf).find(isOther);
  return other === undefined ? undefined : reasonOf('recipe-other-host', { host: other });
}

/**
 * Finds what an address answered last. An address that changes with the time alone is known by its place, and is asked for
 * everything.
 */
function keptOf(
  { recipe, values, kept }: Polling,
  request: PollRequest,
  place: { readonly at: number; readonly of: number },
): KeptAnswer | undefined {
  const same = kept?.answers.find(({ asked }) => asked === digest(request));
  if (same !== undefined || kept?.answers.length !== place.of || kept.askedAs !== askedAs({ recipe, values }))
    return same;
  const { validators: _, ...answer } = kept.answers[place.at] ?? {};
  return 'asked' in answer && answer.host === hostOf(request) ? answer : undefined;
}

function ask(
  { follow }: PollDeps,
  { sharer, logins, signal }: Polling,
  request: PollRequest,
  before: KeptAnswer | undefined,
): Promise<AskedSource> {
  // Without the answer that it is compared with, a condition would bring nothing.
  const validators = before?.read === undefined ? undefined : before.validators;
  return askSource(follow, { sharer, request, logins, validators, signal });
}

function givenAnswer(asked: AskedSource, { read, format = 'json' }: Partial<KeptAnswer> = {}): GivenAnswer {
  const last = read === undefined ? undefined : { read, format };
  return asked.kind === 'answer' ? { bytes: asked.bytes, contentType: asked.contentType, last } : (last ?? null);
}

/** One address, what it was asked, and what became of it. */
interface OneAnswer {
  readonly request: PollRequest;
  readonly asked: AskedSource | undefined;
  readonly before: KeptAnswer | undefined;
  readonly read: ReadOutcome | undefined;
  /** Why none of the answers could be read. */
  readonly problem: Reason | undefined;
  readonly now: number;
}

const concealed = (read: ReadOutcome | undefined, conceal: Concealer): ReadOutcome | undefined =>
  read?.read === undefined ? read : { ...read, read: conceal.text(read.read) };

function answerNow({ request, asked, before, read, problem: general, now }: OneAnswer): KeptAnswer {
  const named = { asked: digest(request), host: hostOf(request) };
  const problem = asked?.kind === 'problem' ? asked.problem : (general ?? problemOf(read));
  if (problem !== undefined) return { ...before, ...named, problem, failingSince: before?.failingSince ?? now };
  const { problem: _over, failingSince: _since, ...still } = before ?? {};
  if (asked?.kind !== 'answer' || read?.read === undefined) return { ...still, ...named, answeredAt: now };
  return {
    ...named,
    read: read.read,
    answeredAt: now,
    ...(read.format !== undefined && { format: read.format }),
    ...(asked.validators !== undefined && { validators: asked.validators }),
  };
}

function problemOf(read: ReadOutcome | undefined): Reason | undefined {
  if (read?.code === undefined) return undefined;
  if (read.code === 'answer-too-deep') return reasonOf('source-too-deep');
  if (read.code === 'answer-too-long') return reasonOf('data-too-long', { most: 1 });
  if (read.code === 'answer-is-page') return reasonOf('source-page');
  return reasonOf('source-unreadable', { format: formatNames[read.format] });
}

const formatNames = {
  json: 'JSON',
  xml: 'XML',
  csv: 'a CSV table',
  icalendar: 'a calendar',
  text: 'text',
  page: 'a web page',
} as const;
