/**
 * The fonts that draw the characters of a page: of our own the files that it needs, and fonts of this machine for what ours
 * lack. They are registered once with a renderer.
 */
import type { Renderer } from '@takumi-rs/core';
import { fontFolders } from '../../runtime/font-folders.ts';
import { fileWith, ownFamilies, ownFont } from '../fonts/own-fonts.ts';
import { type FontStock, newStock, openMachineFonts } from './font-stock.ts';

/** A renderer that has the fonts of a page. */
export interface LaidFonts {
  readonly renderer: Renderer;
  /** Families of this machine in the order in which they stand in for ours, after Inter and Literata. */
  readonly families: readonly string[];
  /** The letters, digits, signs and emoji that no font has, each once; 3,000 at most. */
  readonly missing: string;
}

/** The fonts of pages. */
export interface PageFonts {
  /** Registers what some characters need, and returns the renderer that has it. */
  fontsFor(letters: string, language: string): Promise<LaidFonts>;
}

/** The fonts of this machine that one renderer holds, in bytes. */
const maxMachineBytes = 64 * 1024 * 1024;
const maxMissing = 3_000;
/** Characters of a page that are drawn by no glyph of their own, or by nobody's font. */
const isUndrawn = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/u;
const isReported = /[\p{L}\p{N}\p{S}\p{P}\p{Emoji_Presentation}]/u;

/**
 * Opens the fonts of pages.
 * @param folders where this machine has its fonts, which are looked for when a page needs one
 * @param maxBytes the most that a renderer holds of them
 */
export function openPageFonts(folders: readonly string[], maxBytes = maxMachineBytes): PageFonts {
  const ofMachine = openMachineFonts(folders, maxBytes);
  let opened: FontStock | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function lay(letters: string, language: string): Promise<LaidFonts> {
    const points = drawnPoints(letters);
    const files = points.map((point) => ownFamilies.map((family) => [family, fileWith(family, point)] as const));
    const lacking = points.filter((_, at) => files[at]?.every(([, file]) => file === undefined));
    const { stock, faces } = await ofMachine.register(opened ?? newStock(), lacking, language);
    opened = stock;
    const { renderer, own, machine } = stock;
    for (const [family, file] of files.flat()) {
      if (file === undefined || own.has(file)) continue;
      await renderer.registerFont(ownFont(family, file));
      own.add(file);
    }
    const missing = lacking
      .filter((point) => !faces.some(({ coverage }) => coverage.has(point)))
      .map((point) => String.fromCodePoint(point))
      .filter((character) => isReported.test(character));
    const families = faces.flatMap((face) => machine.get(face) ?? []);
    return { renderer, families, missing: missing.slice(0, maxMissing).join('') };
  }

  return {
    fontsFor(letters, language) {
      const laid = queue.then(() => lay(letters, language));
      queue = laid.catch(() => {});
      return laid;
    },
  };
}

/** Returns the code points of characters that are drawn, each once and in ascending order. */
function drawnPoints(letters: string): readonly number[] {
  const points = [...new Set(letters)].filter((character) => !isUndrawn.test(character));
  return points.map((character) => character.codePointAt(0) ?? 0).sort((one, other) => one - other);
}

let shared: PageFonts | undefined;

/** Registers what the characters of a page need with the renderer of this process, and returns it. */
export function fontsFor(letters: string, language: string): Promise<LaidFonts> {
  shared ??= openPageFonts(fontFolders());
  return shared.fontsFor(letters, language);
}
