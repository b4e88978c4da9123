/** Kinds of frames: what people type, and what a frame becomes. */
import { panelOfKind, panels } from '../../firmware-protocol/panels.ts';
import type { Transaction } from '../runtime/database.ts';
import { refuse } from '../runtime/refusals.ts';

/** A frame whose kind became another one. */
export interface NamedKind {
  readonly serial: string;
  readonly before: string;
  readonly kind: string;
}

/** Hears of it in the transaction that makes it so. */
export type KindNamed = (trx: Transaction, named: NamedKind) => Promise<void>;

/**
 * The one name of a kind that frames can be of: its panel's.
 * @throws Refusal `invalid-request`, whose hint lists them all
 */
export function requireKind(kind: string): string {
  const known = panelOfKind(kind)?.name;
  if (known !== undefined) return known;
  throw refuse('invalid-request', {
    message: `Frames of kind ${kind.slice(0, 40)} are not known here`,
    hint: Object.keys(panels).join(' or '),
  });
}
