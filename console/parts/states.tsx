/** The states that stand in place of content: loading, nothing yet, a problem. */

import type { ComponentChildren } from 'preact';
import type { Problem } from '../ground/call-api.ts';
import type { Resource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { saidText } from '../ground/said.ts';
import { t, tCode } from '../ground/words.ts';
import { Icon } from './icon.tsx';

/** Content is on its way. */
export const Loading = () => (
  <p class="loading" role="status">
    {t('state.loading')}
  </p>
);

interface EmptyStateProps {
  readonly title: string;
  /** The icon of what will stand here. */
  readonly icon?: string;
  readonly children?: ComponentChildren;
}

/** There is nothing yet; the children say what to do about it. */
export const EmptyState = ({ title, icon, children }: EmptyStateProps) => (
  <div class="empty">
    {icon !== undefined && <Icon name={icon} />}
    <h2>{title}</h2>
    {children}
  </div>
);

/** No screen has this address. */
export const MissingScreen = () => (
  <div class="empty">
    <h1>{t('missing.title')}</h1>
    <a href={hrefOf('frames')}>{t('missing.home')}</a>
  </div>
);

/** Codes that many cases share: the sentences of the case say more. */
const vagueCodes: readonly string[] = [
  'access-denied',
  'album-full',
  'conflict',
  'invalid-image',
  'invalid-request',
  'not-authenticated',
  'not-found',
  'other-panel',
  'rate-limited',
  'storage-full',
  'unavailable',
  'unsupported-image',
];

/** Those of them whose own hint is for programs: only a hint with a code is shown. */
const hintedCodes: readonly string[] = [
  'album-full',
  'invalid-image',
  'not-authenticated',
  'other-panel',
  'rate-limited',
  'unavailable',
];

/** Returns what went wrong and what to do, in the person's language where the catalogue has the code. */
export function problemText({ code, message, hint, reasons, retryAfterSeconds }: Problem): string {
  const seconds = retryAfterSeconds ?? 0;
  const own = tCode('problem', code, { seconds, count: seconds });
  const isKnown = own !== code;
  if (reasons !== undefined && reasons.length > 0) {
    const said = saidText(reasons, message);
    return isKnown && !vagueCodes.includes(code) ? `${own} ${said}` : said;
  }
  // Words that have no code stay as they are where nothing else says what is wrong.
  if (isKnown && (hint === undefined || !vagueCodes.includes(code) || hintedCodes.includes(code))) return own;
  if (isKnown) return `${own} ${hint}`;
  // A hint is what to do, or the field that is meant: the clause after a colon.
  return hint === undefined || hint === '' ? message : `${message.replace(/[.:]$/, '')}: ${hint}`;
}

/** Something went wrong. */
export const ProblemBox = ({ problem, again }: { readonly problem: Problem; readonly again?: () => void }) => (
  <div class="problem" role="alert">
    <p>{problemText(problem)}</p>
    {again && (
      <button type="button" onClick={again}>
        {t('state.again')}
      </button>
    )}
  </div>
);

/** Draws the state of reading: under way, or failed; nothing once it has succeeded. */
export const Reading = ({
  of: { value, problem, reload },
}: {
  readonly of: Pick<Resource<unknown>, 'value' | 'problem' | 'reload'>;
}) => (
  <>
    {problem !== undefined && <ProblemBox problem={problem} again={() => void reload()} />}
    {value === undefined && problem === undefined && <Loading />}
  </>
);
