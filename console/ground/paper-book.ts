/** Every paper of the organization, kept in step with the live stream. */

import { effect, signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi, type Problem } from './call-api.ts';
import { type FleetDevice, fleet } from './fleet.ts';
import { type LiveChange, listen } from './live.ts';
import { asProblem } from './resource.ts';
import { mayWrite, organizationId } from './session.ts';
import { isAboutAll, pacer } from './versions.ts';

type PaperShown = Schemas['Paper'];

/** A paper as the API returns it, with its meta as fields. */
export type Paper = Omit<PaperShown, 'meta'> & { readonly meta: Readonly<Record<string, unknown>> };

/** The papers by id, in the order of their titles. */
export const papers = signal<ReadonlyMap<string, Paper>>(new Map());
/** Whether the list has loaded, and if not, why. */
export const papersState = signal<{ readonly isLoaded: boolean; readonly problem: Problem | undefined }>({
  isLoaded: false,
  problem: undefined,
});

const pageRows = 500;
/** When more papers than this change at once, the whole list is read again. */
const fewPapers = 20;

let reading = 0;

/** Returns an answer of the API with its meta as fields; a meta of another shape counts as empty. */
export function asPaper(shown: PaperShown): Paper {
  const { meta } = shown;
  const isFields = typeof meta === 'object' && meta !== null && !Array.isArray(meta);
  return { ...shown, meta: isFields ? (meta as Record<string, unknown>) : {} };
}

/** Reads all papers again. */
export async function loadPapers(organization = organizationId.peek()): Promise<void> {
  const mine = ++reading;
  const found = new Map<string, Paper>();
  try {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await callApi('GET /papers/', {
        query: { organization, sortBy: 'title:asc', limit: pageRows, page },
      });
      if (mine !== reading) return;
      for (const row of answer.results) found.set(row.id, asPaper(row));
      pages = answer.totalPages;
    }
    papers.value = found;
    papersState.value = { isLoaded: true, problem: undefined };
  } catch (error) {
    if (mine === reading) papersState.value = { ...papersState.peek(), problem: asProblem(error) };
  }
}

/** Stores a paper that was just read or saved; undefined removes it. */
export function putPaper(id: string, paper: Paper | undefined): void {
  const next = new Map(papers.peek());
  if (paper === undefined) next.delete(id);
  else next.set(id, paper);
  papers.value = next;
}

/** Reads one paper again. */
export async function rereadPaper(id: string): Promise<Paper> {
  const paper = asPaper(await callApi('GET /papers/{paperId}', { path: { paperId: id } }));
  putPaper(id, paper);
  return paper;
}

const changed = new Set<string>();
let isAllChanged = false;
const pace = pacer(() => void rereadChanged());

function note(change: LiveChange): void {
  const { record, recordId, area, paper } = change.data;
  const id = record === 'paper' ? recordId : paper;
  // A person who sees only the papers of certain frames sees different ones when one of these frames changes its paper.
  if (isAboutAll(change) || (record === 'device' && !mayWrite.peek())) isAllChanged = true;
  else if ((record === 'paper' || area === 'paper') && typeof id === 'string') changed.add(id);
  else return;
  pace.note();
}

async function rereadChanged(): Promise<void> {
  const ids = [...changed];
  const isAll = isAllChanged || ids.length > fewPapers;
  changed.clear();
  isAllChanged = false;
  if (isAll) return loadPapers();
  for (const id of ids) {
    await rereadPaper(id).catch((error: unknown) => {
      if (asProblem(error).status === 404) putPaper(id, undefined);
    });
  }
}

let isFollowing = false;

/** Keeps the papers in step from now on, for the organization that is looked at. */
export function followPapers(): void {
  if (isFollowing) return;
  isFollowing = true;
  listen(note);
  effect(() => {
    const organization = organizationId.value;
    papers.value = new Map();
    papersState.value = { isLoaded: false, problem: undefined };
    if (organization !== '') void loadPapers(organization);
  });
}

/** The frames that show a paper, by name. */
export const framesShowing = (paperId: string): readonly FleetDevice[] =>
  [...fleet.value.values()].filter(({ paper }) => paper?.id === paperId).sort((a, b) => a.name.localeCompare(b.name));

/** The pixels of a paper's picture, as a person sees it: those of a frame that shows it, else of its own. */
export function sizeOf(paper: Paper): readonly [width: number, height: number] {
  const panel = framesShowing(paper.id)[0]?.panel ?? fleet.value.get(paper.deviceId ?? '')?.panel;
  const { width = 800, height = 480 } = panel ?? {};
  const own = paper.meta.orientation;
  const isTall = own === 'portrait' || (own !== 'landscape' && height > width);
  return isTall === height > width ? [width, height] : [height, width];
}
