/** Looks up the choices of a field at the address that a recipe names for them (RC, section A3). */
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import type { FieldLookup, FieldValues } from '../package/recipe-fields.ts';
import type { RecipeSettings } from '../package/recipe-settings.ts';
import { writtenText } from '../package/written.ts';
import type { PollRequest } from '../work/poll-requests.ts';
import { askSource } from './ask-source.ts';
import type { PollDeps } from './read-recipe.ts';

/** A field whose choices are wanted. */
export interface OptionsWish {
  readonly sharer: Sharer;
  readonly key: string;
  readonly lookup: FieldLookup;
  /** The settings of the field's recipe. */
  readonly settings: RecipeSettings;
  /** The values of the fields, without secrets: choices are asked of hosts that no secret was typed for. */
  readonly values: FieldValues;
  /** The text that somebody typed to search for; empty for none. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

/** A choice that was found. */
export interface FoundOption {
  readonly label: string;
  readonly value: string;
}

type Found =
  | { readonly ok: true; readonly options: readonly FoundOption[] }
  | { readonly ok: false; readonly reason: Reason };

const maxOptions = 500;
const maxLetters = 200;

/** Asks for the choices, by the rules of addresses that hold for data. What fails out there is an outcome. */
export async function lookUpOptions({ clock, follow, work }: PollDeps, wish: OptionsWish): Promise<Found> {
  const { sharer, lookup, settings, values, signal } = wish;
  const now = clock.now();
  const asked = { ...settings, addresses: lookup.endpoint, isPost: lookup.isPost, headers: '', body: '' };
  const made = await work(sharer, { do: 'requests', settings: asked, values, now });
  if (!made.ok) return made;
  const [request] = made.done.requests;
  if (request === undefined) return { ok: false, reason: reasonOf('recipe-no-address') };
  const answer = await askSource(follow, {
    sharer,
    request: withText(request, wish),
    logins: [],
    validators: undefined,
    signal,
  });
  const host = URL.canParse(request.url) ? new URL(request.url).host : request.url.slice(0, 100);
  if (answer.kind !== 'answer') {
    const because = answer.kind === 'problem' ? answer.problem : reasonOf('answer-status', { status: 304 });
    return { ok: false, reason: reasonOf('source-failed', { host, because }) };
  }
  const { bytes, contentType } = answer;
  const read = await work(sharer, {
    do: 'data',
    answers: [{ bytes, contentType }],
    place: { now, timeZone: 'UTC' },
    seen: {},
  });
  if (!read.ok) return read;
  const { data }: { readonly data?: unknown } = JSON.parse(read.done.data);
  return Array.isArray(data)
    ? { ok: true, options: optionsIn(data) }
    : { ok: false, reason: reasonOf('source-failed', { host, because: reasonOf('answer-no-choices') }) };
}

/** Puts what was typed into a request: into its body, or into the query of its address. */
function withText(request: PollRequest, { key, lookup, text }: OptionsWish): PollRequest {
  if (!lookup.sendsText) return request;
  if (lookup.isPost) {
    const body = JSON.stringify({ function: key, query: text });
    return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body };
  }
  if (!URL.canParse(request.url)) return request;
  const url = new URL(request.url);
  url.searchParams.set('query', text);
  return { ...request, url: url.href };
}

/** Reads `["a"]`, `[{"Braves": 123}]` and `[{"id": "x", "name": "X"}]`. */
function optionsIn(listed: readonly unknown[]): readonly FoundOption[] {
  const all = listed.slice(0, maxOptions).flatMap((each): readonly FoundOption[] => {
    if (!isRecord(each)) return [{ label: writtenText(each), value: writtenText(each) }];
    if ('id' in each && 'name' in each) return [{ label: writtenText(each.name), value: writtenText(each.id) }];
    return Object.entries(each).map(([label, value]) => ({ label, value: writtenText(value) }));
  });
  const short = all.map(({ label, value }) => ({ label: label.slice(0, maxLetters), value }));
  return short
    .filter(({ label, value }) => label !== '' && value !== '' && value.length <= maxLetters)
    .slice(0, maxOptions);
}
