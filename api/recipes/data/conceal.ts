/** Takes secrets out of what a source or a program gives back, before it is kept or shown. */
import { type Reason, reasonOf } from '../../../reasons/reason.ts';

/** Shorter values would be found in data that have nothing to do with them. */
const shortest = 8;

/** Replaces secrets in texts that come from outside. */
export interface Concealer {
  /** JSON, or any other text. */
  text(text: string): string;
  reason(reason: Reason): Reason;
}

/** Makes the concealer of some secrets; values that are not text are left out. */
export function concealer(secrets: readonly unknown[]): Concealer {
  const hidden = secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .sort((one, other) => other.length - one.length);
  const text = (from: string): string => hidden.reduce((left, secret) => left.replaceAll(secret, '***'), from);
  return {
    text,
    reason(reason) {
      const error = reason.params?.error;
      return reason.code === 'recipe-failed' && typeof error === 'string'
        ? reasonOf('recipe-failed', { error: text(error) })
        : reason;
    },
  };
}
