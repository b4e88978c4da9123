/** What stands in place of content: loading, nothing yet, a problem. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Problem } from '../call-api.ts';
import { t, tCode } from '../words.ts';

/** Content is on its way. */
export const Loading: ComponentType = () => (
  <p class="loading" role="status">
    {t('state.loading')}
  </p>
);

/** There is nothing yet; the children say what to do about it. */
export const EmptyState: ComponentType<{ readonly title: string; readonly children?: ComponentChildren }> = ({
  title,
  children,
}) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** Returns what went wrong and what to do, in the person's language where the catalogue has the code. */
export function problemText({ code, message, hint, retryAfterSeconds }: Problem): string {
  const own = tCode('problem', code, { seconds: retryAfterSeconds ?? 0 });
  if (own !== code) return own;
  // A hint is what to do, or the field that is meant: the clause after a colon.
  return hint === undefined || hint === '' ? message : `${message.replace(/[.:]$/, '')}: ${hint}`;
}

/** Something went wrong. */
export const ProblemBox: ComponentType<{ readonly problem: Problem; readonly again?: () => void }> = ({
  problem,
  again,
}) => (
  <div class="problem" role="alert">
    <p>{problemText(problem)}</p>
    {again && (
      <button type="button" onClick={again}>
        {t('state.again')}
      </button>
    )}
  </div>
);
