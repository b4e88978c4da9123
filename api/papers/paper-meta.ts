/** The `meta` of a paper: judged here, however it arrives. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { playlistProblem } from '../calendar/choose-entry.ts';
import { metaText } from '../http/field-shapes.ts';
import { withinField } from '../http/fit-schema.ts';
import { fitMeans, fits } from '../inks/fit.ts';
import { readPlainUrl } from '../outgoing/plain-url.ts';
import { paceProblem } from './album-pace.ts';
import { arrangementProblem } from './board-parts.ts';
import { isAlbum, showsUploads } from './kinds.ts';
import { timeProblem } from './schedule.ts';
import { selectorMeans, selectorProblem } from './website-selectors.ts';

const ofWebsites = Object.entries(selectorMeans).map(([field, means]) => `\`${field}\`, ${means}`);

/** The fields that are read of a meta that may hold anything. */
export const metaIsRead = `Open, and kept as it is. Of a paper of pictures \`fit\` is read: ${fitMeans}; of a website ${ofWebsites.join('; ')}`;

/** Finds a way of fitting that nobody knows; undefined when there is none. */
function fitProblem({ fit }: { readonly fit?: unknown }): Reason | undefined {
  const isKnown = fit === undefined || fit === null || fit === '' || fits.some((known) => known === fit);
  return isKnown ? undefined : reasonOf('field-one-of', { field: 'fit', options: fits.join(', ') });
}

/** Finds an address that holds a password, which would lie open: logins are kept for themselves, and sealed (T-93). */
function loginProblem({ url, template }: { readonly url?: unknown; readonly template?: unknown }): Reason | undefined {
  const addresses = isRecord(template) && typeof template.addresses === 'string' ? template.addresses.split('\n') : [];
  const problems = [url, ...addresses].map((address) =>
    typeof address === 'string' ? readPlainUrl(address) : undefined,
  );
  const found = problems.some(
    (problem) => problem !== undefined && 'code' in problem && problem.code === 'address-holds-password',
  );
  return found ? reasonOf('address-holds-password') : undefined;
}

/**
 * Returns the text of a given meta, or of the stored one merged with the given one. The contract leaves its content
 * open, but a value that would be kept and silently mean something else is refused.
 * @param kind the paper's: to the meta of other kinds, `fit` may be anything
 * @param given the caller's own part; the rest of the meta was stored before, and is not the caller's mistake
 * @throws Refusal `invalid-request` that names the field, `body-too-large`
 */
export function paperMeta(kind: string, meta: unknown, given: unknown = meta): string {
  const fields = typeof given === 'object' && given !== null ? { ...given } : {};
  const readsFit = showsUploads(kind) || isAlbum(kind);
  const problem =
    timeProblem(fields) ??
    playlistProblem(fields) ??
    (readsFit ? fitProblem(fields) : undefined) ??
    (kind === 'board' ? arrangementProblem(fields) : undefined) ??
    (kind === 'remote' || kind === 'recipe' ? loginProblem(fields) : undefined) ??
    (isAlbum(kind) ? paceProblem(fields) : undefined) ??
    (kind === 'website' ? selectorProblem(fields) : undefined);
  if (problem !== undefined) throw refuse('invalid-request', { hint: withinField('meta', problem) });
  return metaText(meta);
}
