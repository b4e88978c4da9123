/** The addresses to which data of recipes are sent: each ends with a secret, which is kept sealed and as a hash. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import type { RowIn } from '../../../runtime/database/table.ts';
import type { Random } from '../../../runtime/random.ts';
import { open, seal, tokenHash } from '../../../runtime/sealed.ts';
import type { recipesTables } from './tables.ts';

type RecipeHookRow = RowIn<typeof recipesTables, 'recipe_hooks'>;

export interface HookDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly sealKey: Uint8Array;
}

const secretBytes = 24;
const placeOf = (paperId: string): string => JSON.stringify(['recipe_hooks', paperId]);

/** Returns the secret of a paper's address, and makes one where there is none. */
export async function hookOf(db: Database, { clock, random, sealKey }: HookDeps, paperId: string): Promise<string> {
  const find = () => db<RecipeHookRow>('recipe_hooks').where({ paper_id: paperId }).first();
  const row = await find();
  if (row !== undefined) return open(row.token_sealed, placeOf(paperId), sealKey);
  const token = random.secret(secretBytes);
  await db('recipe_hooks')
    .insert({
      paper_id: paperId,
      token_hash: tokenHash(token),
      token_sealed: seal(token, placeOf(paperId), sealKey, random),
      created_at: clock.now(),
    })
    .onConflict('paper_id')
    .ignore();
  const made = await find();
  return made === undefined ? token : open(made.token_sealed, placeOf(paperId), sealKey);
}

/** Finds the paper whose address ends with a secret. */
export const paperOfHook = async (db: Database, token: string): Promise<string | undefined> =>
  (
    await db<RecipeHookRow>('recipe_hooks')
      .where({ token_hash: tokenHash(token) })
      .first('paper_id')
  )?.paper_id;
