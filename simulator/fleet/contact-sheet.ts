/** Sheets that show the glasses of a whole fleet: one picture of the first of them, and a page of all. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

/** The most glasses on a sheet: more would be too small to see. */
export const maxTiles = 120;
const columns = 12;
const tile = { width: 160, height: 120 } as const;
const gap = 8;

/**
 * Writes `fleet.png` from the files of the glasses that are there, the first of them at the top left.
 * @param serials those of the fleet, of which the first ones are shown
 */
export async function writeContactSheet(dir: string, serials: readonly string[]): Promise<void> {
  const shown = serials.slice(0, maxTiles);
  const across = Math.min(columns, shown.length);
  const down = Math.ceil(shown.length / columns);
  const step = { x: tile.width + gap, y: tile.height + gap };
  const tiles: { input: Buffer; left: number; top: number }[] = [];
  for (const [at, serial] of shown.entries()) {
    const input = await tileOf(join(dir, `${serial}.png`));
    const place = { left: gap + (at % columns) * step.x, top: gap + Math.floor(at / columns) * step.y };
    if (input !== undefined) tiles.push({ input, ...place });
  }
  const background = { r: 96, g: 96, b: 96 };
  const size = { width: gap + across * step.x, height: gap + down * step.y };
  const sheet = sharp({ create: { ...size, channels: 3, background } });
  await replace(join(dir, 'fleet.png'), await sheet.composite(tiles).png().toBuffer());
}

/** Writes `fleet.html`, which shows the files of all glasses; the browser loads those that come into view. */
export async function writeContactPage(dir: string, serials: readonly string[]): Promise<void> {
  const figures = serials.map(
    (serial) => `<figure><img src="${serial}.png" alt="" loading="lazy"><figcaption>${serial}</figcaption></figure>`,
  );
  const style =
    'body{background:#606060;color:#fff;font:12px sans-serif;display:flex;flex-wrap:wrap;gap:8px}figure{margin:0}img{width:160px;min-height:96px;background:#fff}';
  const head = `<!doctype html><meta charset="utf-8"><title>Fleet</title><style>${style}</style>`;
  await replace(join(dir, 'fleet.html'), `${head}\n${figures.join('\n')}\n`);
}

/** A small picture of a glass; undefined where none was written yet. */
async function tileOf(path: string): Promise<Buffer | undefined> {
  try {
    return await sharp(path)
      .resize({ ...tile, fit: 'contain', background: { r: 96, g: 96, b: 96 } })
      .toBuffer();
  } catch {
    return undefined;
  }
}

/** Writes a file so that nobody can read half of it. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}
