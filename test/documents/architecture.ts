/** The arrows between rooms, drawn from the imports, and the page that shows them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
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

/** The page with the arrows as they are now: the last column of each row that begins with a room. */
export function architectureFiles(): readonly (readonly [path: string, content: string])[] {
  const arrows = arrowsBetweenRooms();
  const shown = new Set<string>();
  const text = readFileSync(join(root, page), 'utf8').replaceAll(
    /^\| `([\w/-]+)` \| ([^|\n]+) \|[^|\n]*\|$/gm,
    (row: string, room: string, purpose: string) => {
      const targets = arrows.get(room);
      if (targets === undefined) return row;
      shown.add(room);
      return `| \`${room}\` | ${purpose} | ${targets.join(', ') || 'nothing'} |`;
    },
  );
  const missing = [...arrows.keys()].filter((room) => !shown.has(room));
  if (missing.length > 0) throw new Error(`${page} has no row for ${missing.join(', ')}: say what it is for`);
  return [[page, text]];
}
