/**
 * A renderer with the fonts that are registered with it. It is made again when fonts of this machine would take more memory
 * than one may hold.
 */
import { createRequire } from 'node:module';
import type { Renderer } from '@takumi-rs/core';
import { collectGarbage } from '../../runtime/collect-garbage.ts';
import { boldOf, chooseFaces } from '../fonts/choose-faces.ts';
import { readFaceFile } from '../fonts/face-file.ts';
import { machineFaces } from '../fonts/machine-fonts.ts';
import type { FontFile } from '../fonts/own-fonts.ts';
import type { FontFace } from '../fonts/read-faces.ts';

/** The largest bold font that is registered with the one that a page needs, in bytes. */
const maxBoldBytes = 2 * 1024 * 1024;

/** A renderer with what is registered with it. */
export interface FontStock {
  readonly renderer: Renderer;
  readonly own: Set<FontFile>;
  /** The families under which fonts of this machine are registered. */
  readonly machine: Map<FontFace, string>;
}

export function newStock(): FontStock {
  const { Renderer } = createRequire(import.meta.url)('@takumi-rs/core') as typeof import('@takumi-rs/core');
  return { renderer: new Renderer({ cacheMaxBytes: 0 }), own: new Set(), machine: new Map() };
}

/** A stock, perhaps another one than before, and those of its fonts that a page needs in the order in which they stand in. */
export interface StockedFaces {
  readonly stock: FontStock;
  readonly faces: readonly FontFace[];
}

/** The fonts of this machine. */
export interface MachineFonts {
  /** Registers what some characters need. What a page gets does not depend on the pages before it. */
  register(stock: FontStock, points: readonly number[], language: string): Promise<StockedFaces>;
}

/**
 * Opens the fonts of this machine, which are looked for when a page needs one.
 * @param maxBytes the most that one renderer holds of them
 */
export function openMachineFonts(folders: readonly string[], maxBytes: number): MachineFonts {
  let found: readonly FontFace[] | undefined;
  const refused = new Set<FontFace>();

  async function registerAll(stock: FontStock, planned: readonly PlannedFace[]): Promise<readonly FontFace[]> {
    const held: FontFace[] = [];
    for (const { face, name, isBold } of planned) {
      const isRegistered = stock.machine.has(face) || (await registerFace(stock, face, name));
      if (!isRegistered) refused.add(face);
      else if (!isBold) held.push(face);
    }
    return held;
  }

  return {
    async register(stock, points, language) {
      if (points.length === 0) return { stock, faces: [] };
      const all = found ?? machineFaces(folders);
      found = all;
      const nameOf = (face: FontFace): string => `machine ${all.indexOf(face)}`;
      for (let current = stock; ; ) {
        const before = refused.size;
        const usable = all.filter((face) => !refused.has(face));
        const planned = planOf(chooseFaces(usable, points, language), usable, { maxBytes, nameOf });
        if (!hasRoom(current, planned, maxBytes)) {
          current = newStock();
          collectGarbage();
        }
        const faces = await registerAll(current, planned);
        if (refused.size === before) return { stock: current, faces };
      }
    },
  };
}

/** Registers a font of this machine. @returns false when it is of no use */
async function registerFace({ renderer, machine }: FontStock, face: FontFace, name: string): Promise<boolean> {
  try {
    const [family] = await renderer.registerFont({ name, data: readFaceFile(face) });
    if (family !== undefined) machine.set(face, family.name);
    return family !== undefined;
  } catch {
    return false; // It was removed, or Takumi does not read it.
  }
}

/** Returns whether a stock may hold these fonts, too. */
function hasRoom({ machine }: FontStock, planned: readonly PlannedFace[], maxBytes: number): boolean {
  const added = planned.map(({ face }) => face).filter((face) => !machine.has(face));
  return added.length === 0 || machine.size === 0 || bytesOf([...machine.keys(), ...added]) <= maxBytes;
}

/** A font of this machine as it is registered: the bold one under the name of the other. */
interface PlannedFace {
  readonly face: FontFace;
  readonly name: string;
  readonly isBold: boolean;
}

/** Returns what to register for the chosen fonts, with small bold ones, as far as one renderer may hold it. */
function planOf(
  chosen: readonly FontFace[],
  usable: readonly FontFace[],
  { maxBytes, nameOf }: { readonly maxBytes: number; readonly nameOf: (face: FontFace) => string },
): readonly PlannedFace[] {
  const planned: PlannedFace[] = [];
  const plan = (face: FontFace | undefined, name: string, isBold: boolean): void => {
    if (face === undefined || bytesOf([...planned.map((one) => one.face), face]) > maxBytes) return;
    planned.push({ face, name, isBold });
  };
  for (const face of chosen) {
    const bold = boldOf(face, usable);
    plan(face, nameOf(face), false);
    if (bold !== undefined && bold.bytes <= maxBoldBytes) plan(bold, nameOf(face), true);
  }
  return planned;
}

const bytesOf = (faces: readonly FontFace[]): number => faces.reduce((sum, { bytes }) => sum + bytes, 0);
