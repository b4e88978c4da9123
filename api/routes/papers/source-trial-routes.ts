/** Routes by which a source is tried before it is kept, with its albums, people and folders to choose from. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { fairShares } from '../../../runtime/fair-shares.ts';
import { acceptPicture } from '../../files/accept-picture.ts';
import { changedSource } from '../../filled-albums/keep-source.ts';
import {
  type EnteredSource,
  enteredChange,
  enteredSource,
  type SourceOpener,
} from '../../filled-albums/source-kinds.ts';
import { type AlbumSourceRow, openEntered } from '../../filled-albums/sources.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import type { PaperRow } from '../../papers/store.ts';
import { type PictureSource, SourceFault } from '../../picture-sources/source.ts';
import { requireAlbum } from './album-routes.ts';
import type { PaperDeps } from './paper-deps.ts';

export interface SourceRouteDeps
  extends Pick<PaperDeps, 'db' | 'clock' | 'random' | 'sealKey' | 'normalizeImage' | 'nudge'> {
  readonly sources: SourceOpener;
  /** Wakes the worker that fills albums. */
  readonly nudgeFiller: () => void;
}

/** The tries at once: people type while the last one is under way, and some servers take a minute. */
const tries = { atOnce: 32, ofOne: 4 } as const;
const coverSide = 320;

/** A source to try: one that is entered, or a kept one with changes. */
const trial = z.union([
  z.object({ source: enteredSource }),
  z.object({ sourceId: z.string().max(24), change: enteredChange }),
]);

const choiceShown = z.object({
  id: z.string(),
  sort: z.enum(['album', 'person', 'folder']),
  name: z.string(),
  count: z.number().nullable(),
  cover: z.string().nullable().describe('a key for the call `cover`'),
});

const trialShown = z.object({
  title: z.string().nullable(),
  server: z.string().nullable(),
  count: z.number().nullable(),
  newestAt: z.string().nullable(),
  choices: z.array(choiceShown).nullable().describe('what can be chosen there; null where the address names it all'),
  problem: z.string().optional().describe('why it gives nothing, in words'),
  problems: spelledReasons.optional(),
});

/** Returns the routes. */
export function sourceTrialRoutes(deps: SourceRouteDeps): AnyRoute[] {
  const shares = fairShares(tries);
  return [tryRoute(deps, shares), coverRoute(deps, shares)];
}

type Shares = ReturnType<typeof fairShares>;

/** Opens what is to be tried. */
async function openTrial(
  deps: SourceRouteDeps,
  paper: PaperRow,
  tried: z.output<typeof trial>,
  signal: AbortSignal,
): Promise<PictureSource> {
  const entered = 'source' in tried ? tried.source : await changedOf(deps, paper, tried);
  return deps.sources.open({ paper, signal }, entered);
}

async function changedOf(
  deps: SourceRouteDeps,
  paper: PaperRow,
  { sourceId, change }: { readonly sourceId: string; readonly change: z.output<typeof enteredChange> },
): Promise<EnteredSource> {
  const row = await requireSource(deps, paper, sourceId);
  return changedSource(openEntered(row, deps.sealKey), change);
}

/** Requires a source of an album. */
export async function requireSource(
  { db }: Pick<SourceRouteDeps, 'db'>,
  paper: PaperRow,
  id: string,
): Promise<AlbumSourceRow> {
  const row = await db<AlbumSourceRow>('album_sources').where({ paper_id: paper.id, id }).first();
  if (row === undefined || row.organization_id !== paper.organization_id) throw refuse('not-found');
  return row;
}

function tryRoute(deps: SourceRouteDeps, shares: Shares): AnyRoute {
  return route('POST /papers/:paperId/sources/try', {
    summary: 'Try a source before it is kept: what is there, and what can be chosen. A problem is an answer, too',
    audit: { none: 'it changes nothing' },
    noStore: true,
    body: trial,
    output: trialShown,
    admit: ({ params, principal }) => requireAlbum(deps, principal, params.paperId),
    async handle({ body, caller: { signal } }, paper) {
      return shares.run([paper.organization_id], () => tried(deps, paper, body, signal), signal);
    },
  });
}

async function tried(
  deps: SourceRouteDeps,
  paper: PaperRow,
  body: z.output<typeof trial>,
  signal: AbortSignal,
): Promise<z.input<typeof trialShown>> {
  try {
    const source = await openTrial(deps, paper, body, signal);
    const { title, server = null, count = null, newestAt } = await source.summarize();
    const choices = await source.choices?.();
    return {
      title,
      server,
      count,
      newestAt: isoTimeOrNull(newestAt ?? null),
      choices:
        choices?.map(({ id, sort, name, count: pictures = null, cover = null }) => ({
          id,
          sort,
          name,
          count: pictures,
          cover,
        })) ?? null,
    };
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    const nothing = { title: null, server: null, count: null, newestAt: null, choices: null };
    return { ...nothing, problem: wordsOf(error.reason), ...spelledAs('problems', [error.reason]) };
  }
}

function coverRoute(deps: SourceRouteDeps, shares: Shares): AnyRoute {
  return route('POST /papers/:paperId/sources/cover', {
    summary: 'The small picture of an album, a person or a folder that can be chosen',
    audit: { none: 'it changes nothing' },
    noStore: true,
    body: z.object({ trial, cover: z.string().max(1_000) }),
    output: z.object({ picture: z.string().nullable().describe('a PNG in Base64; null where there is none') }),
    admit: ({ params, principal }) => requireAlbum(deps, principal, params.paperId),
    async handle({ body, caller: { signal } }, paper) {
      const picture = await shares.run([paper.organization_id], () => coverOf(deps, paper, body, signal), signal);
      return { picture: picture?.toString('base64') ?? null };
    },
  });
}

async function coverOf(
  deps: SourceRouteDeps,
  paper: PaperRow,
  { trial: tried, cover }: { readonly trial: z.output<typeof trial>; readonly cover: string },
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  try {
    const source = await openTrial(deps, paper, tried, signal);
    const content = await source.cover?.(cover);
    if (content === undefined) return undefined;
    const place = { sharer: [paper.organization_id, paper.id], signal, maxSide: coverSide };
    return (await acceptPicture(deps.normalizeImage, { field: 'cover', content }, place)).bytes;
  } catch {
    // A tile without a picture can be chosen as well.
    return undefined;
  }
}
