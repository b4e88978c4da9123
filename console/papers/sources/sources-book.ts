/** The sources of albums as they were read last: several parts of a page show them. */
import { signal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';

/** A source as members see it. */
export type AlbumSource = Schemas['AlbumSource'];

const read = signal<ReadonlyMap<string, readonly AlbumSource[]>>(new Map());

/** Returns the sources of an album; undefined before they were read. */
export const sourcesOf = (paperId: string): readonly AlbumSource[] | undefined => read.value.get(paperId);

/** Reads the sources of an album. */
export async function readSources(paperId: string, signal: AbortSignal): Promise<readonly AlbumSource[]> {
  const sources = await callApi('GET /papers/{paperId}/sources/', { path: { paperId }, signal });
  read.value = new Map([...read.peek(), [paperId, sources]]);
  return sources;
}
