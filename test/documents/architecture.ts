/** The arrows between rooms, drawn from the imports, and the page that shows them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { floors } from '../runner/floors.ts';

const root = resolve(import.meta.dirname, '../..');
const page = 'docs/architecture.md';

/** The room of a file, as the page names it. What lies in a floor itself puts the rooms together, and is named like it. */
function roomOf(path: string): string {
  const folders = dirname(path).split('/');
  if (/^(?:api\/routes|console\/parts)\//.test(path)) return folders.slice(0, 3).join('/');
  return folders.slice(0, 2).join('/');
}

/** From each room to those that it imports, both in order of their names. */
export function arrowsBetweenRooms(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const floor of floors) {
    for (const entry of readdirSync(join(root, floor), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/\.(tsx?|mjs)$/.test(entry.name)) continue;
      const path = relative(root, join(entry.parentPath, entry.name));
      const targets = found.get(roomOf(path)) ?? new Set();
      found.set(roomOf(path), targets);
      const text = readFileSync(join(root, path), 'utf8');
      for (const [, name = ''] of text.matchAll(/(?:from |import\(|new URL\()'(\.[^']+\.(?:tsx?|mjs))'/g)) {
        const target = roomOf(relative(root, resolve(root, dirname(path), name)));
        if (target !== roomOf(path)) targets.add(target);
      }
    }
  }
  return new Map([...found].map(([room, targets]) => [room, [...targets].sort()]));
}

/**
 * The rooms that a room imports, as the page lists them: those of one folder together, and most of a folder as all of it
 * but the others, where that is shorter.
 * @param targets in order of their names
 * @param others every other room
 */
function arrowsInWords(targets: readonly string[], others: readonly string[]): string {
  const isWithin = (room: string): boolean => room.includes('/');
  const folders = [...Map.groupBy(targets.filter(isWithin), (room) => dirname(room))].map(([folder, found]) => {
    const left = others.filter((room) => dirname(room) === folder && !found.includes(room));
    const named = found.length === 1 ? found.join() : `${folder}/{${namesOf(found)}}`;
    const without = left.length === 0 ? `all of ${folder}` : `all of ${folder} but {${namesOf(left)}}`;
    return without.length < named.length ? without : named;
  });
  return [...targets.filter((room) => !isWithin(room)), ...folders].join(', ');
}

const namesOf = (rooms: readonly string[]): string => rooms.map((room) => basename(room)).join(', ');

/** The page with the arrows as they are now: the last column of each row that begins with a room. */
export function architectureFiles(): readonly (readonly [path: string, content: string])[] {
  const arrows = arrowsBetweenRooms();
  const shown = new Set<string>();
  const others = (room: string): string[] => [...arrows.keys()].filter((other) => other !== room);
  const text = readFileSync(join(root, page), 'utf8').replaceAll(
    /^\| `([\w/-]+)` \| ([^|\n]+) \|[^|\n]*\|$/gm,
    (row: string, room: string, purpose: string) => {
      const targets = arrows.get(room);
      if (targets === undefined) return row;
      shown.add(room);
      return `| \`${room}\` | ${purpose} | ${arrowsInWords(targets, others(room)) || 'nothing'} |`;
    },
  );
  const missing = [...arrows.keys()].filter((room) => !shown.has(room));
  if (missing.length > 0) throw new Error(`${page} has no row for ${missing.join(', ')}: say what it is for`);
  return [[page, text]];
}
