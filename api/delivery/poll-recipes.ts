/**
 * Polls the sources of recipes that frames show, each at its interval, and makes their pictures due when the data are other
 * ones. A recipe that no frame shows is asked when it is drawn next.
 */
import { drawAgainOn } from '../devices/shown-pictures.ts';
import { devicesThatShow } from '../papers/shown-papers.ts';
import type { PaperRow } from '../papers/store.ts';
import type { LineDeps } from './line-deps.ts';
import { worksUnderWay } from './works-under-way.ts';

const maxAtOnce = 64;
/** The time after which a paper is looked at again that is shown nowhere, or whose poll failed before it asked anything. */
const againMs = 5 * 60_000;

/** The step: `begin` starts the polls that are due and returns, `idle` waits for them. */
export function pollRecipes({ db, clock, logger, pollRecipe }: LineDeps, nudge: () => void) {
  const underWay = worksUnderWay<string>();

  async function poll(paper: PaperRow): Promise<void> {
    const devices = await devicesThatShow(db, paper);
    const isChanged = devices.length > 0 && (await pollRecipe(paper));
    const now = clock.now();
    // A poll that brought an answer has set its next time.
    await db('recipe_data')
      .where({ paper_id: paper.id })
      .where('poll_due_at', '<=', now)
      .update({ poll_due_at: now + againMs });
    if (!isChanged) return;
    await drawAgainOn(db, devices, now);
    nudge();
  }

  return {
    async begin(): Promise<void> {
      const look = underWay.look();
      const due: PaperRow[] = await db<PaperRow>('papers')
        .join('recipe_data', 'recipe_data.paper_id', 'papers.id')
        .where('papers.kind', 'recipe')
        .where('recipe_data.poll_due_at', '<=', clock.now())
        .orderBy('recipe_data.poll_due_at')
        .limit(maxAtOnce)
        .select('papers.*');
      for (const paper of due) {
        if (!look.mayBegin(paper.id, paper.organization_id)) continue;
        const work = poll(paper).catch((error: unknown) => logger.error({ error }, 'polling a recipe broke off'));
        underWay.begin(paper.id, paper.organization_id, work, () => {});
      }
    },
    idle: underWay.idle,
  };
}
