/** The parts of a board: several papers side by side on one screen. */
import { z } from 'zod';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isId } from '../../runtime/random.ts';
import type { Layout } from '../recipes/package/recipe.ts';

/** A part of a screen, in shares of its width and height. */
export interface BoardPart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The layout in which a recipe is drawn here. */
  readonly layout: Layout;
}

const left = { x: 0, y: 0, width: 1 / 2, height: 1, layout: 'half_vertical' } as const;
const right = { ...left, x: 1 / 2 } as const;
const top = { x: 0, y: 0, width: 1, height: 1 / 2, layout: 'half_horizontal' } as const;
const bottom = { ...top, y: 1 / 2 } as const;
const quarter = { width: 1 / 2, height: 1 / 2, layout: 'quadrant' } as const;
const [topLeft, topRight] = [
  { ...quarter, x: 0, y: 0 },
  { ...quarter, x: 1 / 2, y: 0 },
] as const;
const [bottomLeft, bottomRight] = [
  { ...topLeft, y: 1 / 2 },
  { ...topRight, y: 1 / 2 },
] as const;
const third = { y: 0, width: 1 / 3, height: 1, layout: 'half_vertical' } as const;

/** The arrangements of a board, each with its parts in reading order. */
export const arrangements = {
  columns: [left, right],
  rows: [top, bottom],
  'left-and-two': [left, topRight, bottomRight],
  'two-and-right': [topLeft, bottomLeft, right],
  'top-and-two': [top, bottomLeft, bottomRight],
  'two-and-bottom': [topLeft, topRight, bottom],
  thirds: [
    { ...third, x: 0 },
    { ...third, x: 1 / 3 },
    { ...third, x: 2 / 3 },
  ],
  quarters: [topLeft, topRight, bottomLeft, bottomRight],
} as const satisfies Readonly<Record<string, readonly BoardPart[]>>;

export type Arrangement = keyof typeof arrangements;

/** The name of an arrangement. */
export const arrangement = z.enum(Object.keys(arrangements) as [Arrangement, ...Arrangement[]]);

type Meta = Readonly<Record<string, unknown>>;

/** A part with the paper that it shows; undefined for one that is empty. */
export interface FilledPart extends BoardPart {
  readonly paperId: string | undefined;
}

const isArrangement = (value: unknown): value is Arrangement =>
  typeof value === 'string' && Object.hasOwn(arrangements, value);

/** Returns the parts of a board; two columns unless its meta names another arrangement. */
export function boardParts({ arrangement: named, parts }: Meta): readonly FilledPart[] {
  const papers: readonly unknown[] = Array.isArray(parts) ? parts : [];
  return arrangements[isArrangement(named) ? named : 'columns'].map((part, at) => {
    const paperId = papers[at];
    return { ...part, paperId: typeof paperId === 'string' && isId(paperId) ? paperId : undefined };
  });
}

/** Finds an arrangement that nobody knows; undefined when there is none. */
export function arrangementProblem({ arrangement: named }: Meta): Reason | undefined {
  if (named === undefined || named === null || isArrangement(named)) return undefined;
  return reasonOf('field-one-of', { field: 'arrangement', options: Object.keys(arrangements).join(', ') });
}
