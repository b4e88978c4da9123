/** Papers of a recipe that was changed. */
import type { Database } from '../../../runtime/database/database.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type SecretDeps, sealSettings } from '../../integration/paper-secrets.ts';
import type { PaperRow } from '../../papers/store.ts';
import { withRecipeForm } from '../../recipes/paper-form.ts';

/** Has papers of a recipe drawn again, and seals what its fields call a secret now. */
export async function changePapersOf(
  db: Database,
  deps: SecretDeps,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  const papers = await db<PaperRow>('papers')
    .where({ organization_id: organizationId, kind: 'recipe' })
    .where('meta', 'like', `%"${id}"%`);
  for (const paper of papers) {
    const before = storedObject(paper.meta);
    if (before.recipe !== id) continue;
    const meta = await withRecipeForm(db, organizationId, paper.kind, before);
    await db('papers')
      .where({ id: paper.id, organization_id: organizationId, meta: paper.meta })
      .update({ ...sealSettings(deps, paper, JSON.stringify(meta), paper), edition: db.raw('edition + 1') });
  }
}
