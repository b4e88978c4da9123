/** Names of the pictures of a source that are not shown, so that a person finds them: the newest of each reason. */
import type { Reason } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { ListedPicture } from '../picture-sources/source.ts';
import type { SourcePictureRow } from './choose-next.ts';
import { type AlbumSourceRow, problemOfSource } from './sources.ts';

/** The most names of one reason. */
export const maxNames = 50;
const maxLength = 200;

/** Gathers the names of those that a listing leaves out. */
export interface LeftOutNames {
  add(reason: string, listed: Pick<ListedPicture, 'name' | 'arrivedAt'>): void;
  /** Returns them as JSON, the newest first. */
  written(): string;
}

/** Begins to gather. */
export function leftOutNames(): LeftOutNames {
  const found = new Map<string, { readonly name: string; readonly at: number }[]>();
  const cut = (all: { readonly name: string; readonly at: number }[]) =>
    all.sort((one, other) => other.at - one.at).slice(0, maxNames);
  return {
    add(reason, { name, arrivedAt = 0 }) {
      const all = [...(found.get(reason) ?? []), { name: name.slice(0, maxLength), at: arrivedAt }];
      found.set(reason, all.length < 2 * maxNames ? all : cut(all));
    },
    written: () =>
      JSON.stringify(Object.fromEntries([...found].map(([reason, all]) => [reason, cut(all).map(({ name }) => name)]))),
  };
}

/** A picture that could not be fetched. */
export interface FailedPicture {
  readonly name: string;
  readonly failedAt: number;
  readonly problem: Reason | undefined;
}

/** The pictures of a source that are not shown, the newest of each reason. */
export interface UnshownPictures {
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  readonly failed: readonly FailedPicture[];
}

/** Reads those that the last listing left out, those that were left out after they were fetched, and those that failed. */
export async function unshownPictures(db: Database, source: AlbumSourceRow): Promise<UnshownPictures> {
  const rows = () => db<SourcePictureRow>('source_pictures').where({ source: source.number });
  const leftOut: Record<string, string[]> = {};
  for (const [reason, names] of Object.entries(storedObject(source.left_out_names))) {
    leftOut[reason] = Array.isArray(names) ? names.map(String) : [];
  }
  const reasons: { left_out: string }[] = await db('source_pictures')
    .where({ source: source.number })
    .whereNotNull('left_out')
    .distinct('left_out');
  for (const { left_out } of reasons) {
    const fetched = await rows().where({ left_out }).orderBy('arrived_at', 'desc').limit(maxNames);
    leftOut[left_out] = [...fetched.map(nameOf), ...(leftOut[left_out] ?? [])].slice(0, maxNames);
  }
  const failed = await rows().whereNotNull('failed_at').orderBy('failed_at', 'desc').limit(maxNames);
  return {
    leftOut,
    failed: failed.map((row) => ({
      name: nameOf(row),
      failedAt: Number(row.failed_at),
      problem: problemOfSource(row),
    })),
  };
}

const nameOf = ({ key, name }: SourcePictureRow): string =>
  name === '' ? key.slice(key.lastIndexOf('/') + 1).slice(0, maxLength) : name;
