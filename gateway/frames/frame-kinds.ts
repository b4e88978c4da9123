/** The kinds of frames, as people type them and as frames change them. */

import { panelOfKind, panels } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';

/** A frame whose kind has changed. */
export interface NamedKind {
  readonly serial: string;
  readonly before: string;
  readonly kind: string;
}

/** Called in the transaction that changes the kind of a frame. */
export type KindNamed = (trx: Transaction, named: NamedKind) => Promise<void>;

/**
 * Returns the canonical name of a kind, which is the name of its panel.
 * @throws Refusal `invalid-request`, whose hint lists all kinds
 */
export function requireKind(kind: string): string {
  const known = panelOfKind(kind)?.name;
  if (known !== undefined) return known;
  throw refuse('invalid-request', {
    message: reasonOf('kind-not-known', { kind: kind.slice(0, 40) }),
    hint: Object.keys(panels).join(' or '),
  });
}
