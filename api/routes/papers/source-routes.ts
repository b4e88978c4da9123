/** Routes of the sources that fill albums: tried before they are kept, added, changed and removed. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { nameIn } from '../../access/principal.ts';
import { addSource, changedSource, changeSource } from '../../filled-albums/keep-source.ts';
import { type EnteredSource, enteredChange, enteredSource } from '../../filled-albums/source-kinds.ts';
import { type AlbumSourceRow, emptySource, openEntered, sourcesOfAlbum } from '../../filled-albums/sources.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import { type PictureSource, SourceFault } from '../../picture-sources/source.ts';
import { requireAlbum } from './album-routes.ts';
import { albumSourceShown, albumSourceWhole, showSources, showWholeSource } from './show-source.ts';
import { requireSource, type SourceRouteDeps, sourceTrialRoutes } from './source-trial-routes.ts';

/** Returns the routes. */
export function sourceRoutes(deps: SourceRouteDeps): AnyRoute[] {
  return [
    listRoute(deps),
    offeredRoute(deps),
    ...sourceTrialRoutes(deps),
    showRoute(deps),
    addRoute(deps),
    changeRoute(deps),
    listNowRoute(deps),
    removeRoute(deps),
  ];
}

function listRoute({ db }: SourceRouteDeps): AnyRoute {
  return route('GET /papers/:paperId/sources/', {
    summary: 'The sources that fill an album, with how each answers',
    noStore: true,
    output: z.array(albumSourceShown),
    async handle({ params, principal }) {
      const paper = await requireAlbum({ db }, principal, params.paperId);
      return showSources(db, await sourcesOfAlbum(db, paper.id));
    },
  });
}

function offeredRoute({ db, sources }: SourceRouteDeps): AnyRoute {
  return route('GET /papers/:paperId/sources/offered', {
    summary: 'What the operator offers sources of: folders of the machine',
    noStore: true,
    output: z.object({ folders: z.array(z.string()) }),
    async handle({ params, principal }) {
      const paper = await requireAlbum({ db }, principal, params.paperId);
      return { folders: sources.foldersFor(paper.organization_id).map(({ name }) => name) };
    },
  });
}

function showRoute({ db }: SourceRouteDeps): AnyRoute {
  return route('GET /papers/:paperId/sources/:sourceId', {
    summary: 'A source of an album, with the names of pictures that it left out or that could not be fetched',
    noStore: true,
    output: albumSourceWhole,
    async handle({ params: { paperId, sourceId }, principal }) {
      const paper = await requireAlbum({ db }, principal, paperId);
      return showWholeSource(db, await requireSource({ db }, paper, sourceId));
    },
  });
}

/** The title that a source has unless somebody gives one: its own, as it states it. */
async function titleOf(source: PictureSource): Promise<string> {
  try {
    return (await source.summarize()).title;
  } catch (error) {
    if (error instanceof SourceFault) throw refuse('invalid-request', { message: error.reason });
    throw error;
  }
}

const title = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .optional()
  .describe('a name for people; left out, as the source calls itself');

function addRoute(deps: SourceRouteDeps): AnyRoute {
  const { db } = deps;
  return route('POST /papers/:paperId/sources/', {
    summary: 'Add a source to an album; it is tried first. Its pictures come within a minute',
    audit: { action: 'album-source.added', on: 'paper' },
    status: 201,
    noStore: true,
    body: z.object({ source: enteredSource, title }),
    output: albumSourceShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    admit: ({ params, principal }) => requireAlbum(deps, principal, params.paperId),
    async handle({ params: { paperId }, body, principal, caller: { signal } }, found) {
      const own = await titleOf(openOrRefuse(deps, found, body.source, signal));
      const row = await transactOnPaper(db, paperId, async (trx) => {
        const paper = await requireAlbum({ db: trx }, principal, paperId);
        const addedBy = nameIn(principal, paper.organization_id);
        return addSource(trx, deps, paper, { entered: body.source, title: body.title ?? own, addedBy });
      });
      deps.nudgeFiller();
      return shownOne(deps, row);
    },
  });
}

/** Opens a source; what cannot be right about it is a refusal. */
function openOrRefuse(
  { sources }: SourceRouteDeps,
  paper: PaperRow,
  entered: EnteredSource,
  signal: AbortSignal,
): PictureSource {
  try {
    return sources.open({ paper, signal }, entered);
  } catch (error) {
    if (error instanceof SourceFault) throw refuse('invalid-request', { message: error.reason });
    throw error;
  }
}

async function shownOne({ db }: SourceRouteDeps, row: AlbumSourceRow): Promise<z.input<typeof albumSourceShown>> {
  const [shown] = await showSources(db, [row]);
  if (shown === undefined) throw refuse('not-found');
  return shown;
}

function changeRoute(deps: SourceRouteDeps): AnyRoute {
  const { db, clock } = deps;
  return route('POST /papers/:paperId/sources/:sourceId', {
    summary:
      'Change a source, or enter its login again; what is left out stays as it is. A login is never sent to another place than the one it was entered for',
    audit: { action: 'album-source.changed', on: 'paper' },
    noStore: true,
    body: enteredChange.extend({ title }),
    output: albumSourceShown,
    admit: ({ params, principal }) => requireAlbum(deps, principal, params.paperId),
    async handle({ params: { paperId, sourceId }, body, principal, caller: { signal } }, found) {
      const { title: given, ...change } = body;
      const row = await requireSource(deps, found, sourceId);
      const before = openEntered(row, deps.sealKey);
      const entered = changedSource(before, change);
      if (Object.keys(change).length > 0) await titleOf(openOrRefuse(deps, found, entered, signal));
      await transactOnPaper(db, paperId, async (trx) => {
        const paper = await requireAlbum({ db: trx }, principal, paperId);
        const still = await requireSource({ db: trx }, paper, sourceId);
        const kept = { before, entered, title: given ?? still.title };
        if (await changeSource(trx, deps, still, kept))
          await paperStore(trx).change(paper, { updated_at: clock.now() });
      });
      deps.nudge();
      deps.nudgeFiller();
      return shownOne(deps, await requireSource(deps, found, sourceId));
    },
  });
}

function listNowRoute(deps: SourceRouteDeps): AnyRoute {
  const { db, clock } = deps;
  return route('POST /papers/:paperId/sources/:sourceId/listing', {
    summary: 'List a source now, in place of at its next time',
    audit: { action: 'album-source.listed', on: 'paper' },
    async handle({ params: { paperId, sourceId }, principal }) {
      const paper = await requireAlbum(deps, principal, paperId);
      const { id } = await requireSource(deps, paper, sourceId);
      await db('album_sources').where({ id }).update({ next_at: clock.now(), mark: null });
      await db('filled_albums').where({ paper_id: paperId }).update({ next_at: 0 });
      deps.nudgeFiller();
    },
  });
}

function removeRoute(deps: SourceRouteDeps): AnyRoute {
  const { db, clock } = deps;
  return route('DELETE /papers/:paperId/sources/:sourceId', {
    summary: 'Remove a source from an album, with its login and everything that came from it',
    audit: { action: 'album-source.removed', on: 'paper' },
    async handle({ params: { paperId, sourceId }, principal }) {
      await transactOnPaper(db, paperId, async (trx) => {
        const paper = await requireAlbum({ db: trx }, principal, paperId);
        const row = await requireSource({ db: trx }, paper, sourceId);
        if (await emptySource(trx, row, true)) await paperStore(trx).change(paper, { updated_at: clock.now() });
      });
      deps.nudge();
      deps.nudgeFiller();
    },
  });
}
