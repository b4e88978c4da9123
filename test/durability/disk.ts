/**
 * A disk that forgets: what is synced stays, what is not may be there, gone, or torn. An entry of a folder stays when
 * the folder was synced after it, a file's bytes when the file was; neither says anything about the other.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Call } from './system-calls.ts';

/** Drives divide nothing smaller than this. */
const sectorBytes = 512;

interface Change {
  readonly start: number;
  readonly end: number;
}
type Edit = Change & ({ readonly at: number; readonly data: Buffer } | { readonly bytes: number });
type Entry = Change & { readonly sets?: readonly [name: string, node: Node]; readonly removes?: string };

/** A file or a folder under whatever name. `syncs` are those that ended well. */
type Node = FileNode | FolderNode;
interface FileNode {
  readonly kind: 'file';
  readonly edits: Edit[];
  readonly syncs: Change[];
}
interface FolderNode {
  readonly kind: 'folder';
  readonly entries: Entry[];
  readonly syncs: Change[];
  /** The files as a process sees them at the end of the recording. */
  readonly live: Map<string, Node>;
}

/** Everything that happened below a folder, and every answer that left. */
export interface Recording {
  readonly root: FolderNode;
  readonly acknowledged: readonly { readonly start: number; readonly body: Readonly<Record<string, string>> }[];
  /** Time ends here; cuts lie between 0 and this. */
  readonly end: number;
}

const folder = (): FolderNode => ({ kind: 'folder', entries: [], syncs: [], live: new Map() });

/** Plays the calls below a folder that existed, empty, before the first of them. */
export function record(calls: readonly Call[], rootPath: string): Recording {
  const root = folder();
  const acknowledged: { start: number; body: Readonly<Record<string, string>> }[] = [];
  const opened = new Map<number, { node: Node; position: number }>();
  const find = (path: string): Node | undefined => {
    if (path === rootPath) return root;
    const parent = dirname(path).startsWith(rootPath) ? find(dirname(path)) : undefined;
    return parent?.kind === 'folder' ? parent.live.get(basename(path)) : undefined;
  };
  const parentOf = (path: string): FolderNode => {
    const parent = find(dirname(path));
    if (parent?.kind !== 'folder') throw new Error(`${path} is in no folder`);
    return parent;
  };
  const enter = (path: string, node: Node, { start, end }: Change, leaves?: string): void => {
    const parent = parentOf(path);
    // Both halves of a rename are one entry: they happen together or not at all. Ours stay within a folder.
    if (leaves !== undefined && parentOf(leaves) !== parent) throw new Error(`${leaves} moves to another folder`);
    const removes = leaves === undefined ? {} : { removes: basename(leaves) };
    parent.entries.push({ start, end, sets: [basename(path), node], ...removes });
    if (leaves !== undefined) parent.live.delete(basename(leaves));
    parent.live.set(basename(path), node);
  };
  const play = (call: Exclude<Call, { name: 'acknowledge' }>): void => {
    const { start, end } = call;
    const node = find(call.path);
    switch (call.name) {
      case 'open': {
        const file: Node = node ?? { kind: 'file', edits: [], syncs: [] };
        if (node === undefined) enter(call.path, file, call);
        if (file.kind === 'file' && call.truncates) file.edits.push({ start, end, bytes: 0 });
        opened.set(call.fd, { node: file, position: 0 });
        return;
      }
      case 'mkdir':
        enter(call.path, folder(), call);
        return;
      case 'remove':
        parentOf(call.path).entries.push({ start, end, removes: basename(call.path) });
        parentOf(call.path).live.delete(basename(call.path));
        return;
      case 'rename':
      case 'link':
        if (node === undefined) throw new Error(`${call.path} was never made`);
        enter(call.to, node, call, call.name === 'rename' ? call.path : undefined);
        return;
    }
    const file = opened.get(call.fd);
    if (file === undefined) throw new Error(`${call.path} was never opened`);
    if (call.name === 'sync') file.node.syncs.push({ start, end });
    else if (file.node.kind === 'folder') throw new Error(`${call.path} is a folder`);
    else if (call.name === 'resize') file.node.edits.push({ start, end, bytes: call.bytes });
    else {
      file.node.edits.push({ start, end, at: call.at ?? file.position, data: call.data });
      if (call.at === undefined) file.position += call.data.length;
    }
  };
  for (const call of calls) {
    if (call.name === 'acknowledge') acknowledged.push(call);
    else if (call.path.startsWith(`${rootPath}/`) || (call.path === rootPath && call.name !== 'mkdir')) play(call);
  }
  const end = Math.max(...calls.map(({ end }) => end).filter(Number.isFinite));
  return { root, acknowledged, end };
}

/** Returns the items that had begun by a cut, each with whether it surely is on the disk. */
function parted<Item extends Change>(items: readonly Item[], syncs: readonly Change[], cut: number) {
  const synced = Math.max(-1, ...syncs.filter(({ end }) => end <= cut).map(({ start }) => start));
  return items.filter(({ start }) => start <= cut).map((item) => ({ item, stays: item.end < synced }));
}

/** Chance from 0 to below 1. */
type Chance = () => number;

function contentAt({ edits, syncs }: FileNode, cut: number, chance: Chance): Buffer {
  let room = Buffer.alloc(0);
  let bytes = 0;
  const resize = (to: number): void => {
    if (to > room.length) room = Buffer.concat([room, Buffer.alloc(to)]);
    if (to < bytes) room.fill(0, to, bytes);
    bytes = to;
  };
  for (const { item, stays } of parted(edits, syncs, cut)) {
    const fate = stays ? 'kept' : fateOf(chance());
    if (fate === 'lost') continue;
    if ('bytes' in item) {
      resize(item.bytes);
      continue;
    }
    const { at, data } = item;
    resize(Math.max(bytes, at + data.length));
    for (const [from, to] of fate === 'kept' ? [[at, at + data.length] as const] : sectorsOf(at, data.length)) {
      if (fate === 'kept' || chance() < 0.5) data.copy(room, from, from - at, to - at);
    }
  }
  return room.subarray(0, bytes);
}

function sectorsOf(at: number, length: number): [from: number, to: number][] {
  const sectors: [number, number][] = [];
  for (let from = at; from < at + length; ) {
    const to = Math.min((Math.floor(from / sectorBytes) + 1) * sectorBytes, at + length);
    sectors.push([from, to]);
    from = to;
  }
  return sectors;
}

function fateOf(chance: number): 'lost' | 'kept' | 'torn' {
  if (chance < 0.4) return 'lost';
  return chance < 0.8 ? 'kept' : 'torn';
}

/** Writes what a power loss at `cut` may leave of the recording into an empty folder. SQLite’s `-shm` is rebuilt. */
export function writeImage({ root }: Recording, cut: number, chance: Chance, target: string): void {
  const write = (node: FolderNode, path: string): void => {
    mkdirSync(path, { recursive: true });
    const entries = new Map<string, Node>();
    for (const { item, stays } of parted(node.entries, node.syncs, cut)) {
      if (!stays && fateOf(chance()) !== 'kept') continue;
      if (item.removes !== undefined) entries.delete(item.removes);
      if (item.sets !== undefined) entries.set(...item.sets);
    }
    for (const [name, child] of entries) {
      if (child.kind === 'folder') write(child, join(path, name));
      else if (!name.endsWith('-shm')) writeFileSync(join(path, name), contentAt(child, cut, chance));
    }
  };
  write(root, target);
}
