/** The purposes that a picture may have, and the dithering that each of them asks for. */
import type { KernelName } from './kernels.ts';

/** The preparation of a picture before its colours are mapped. 0 leaves a thing as it is. */
export interface Tone {
  /** Bytes up to this one become black. It concerns grays only. */
  readonly black: number;
  /** Bytes so near to 255 become white. It concerns grays only. */
  readonly white: number;
  /** The number of further bytes over which the tone comes back to what it was. */
  readonly reach: number;
  /** The steepness added at middle gray, as a share. */
  readonly contrast: number;
  /** The colourfulness added, as a share. */
  readonly saturation: number;
  /** The share of its difference from its neighbours that is added to each pixel. */
  readonly sharpness: number;
  /** The share of its difference from the pixels next to it that is added to a stroke of one pixel or two. */
  readonly strokes: number;
}

/** All decisions on a picture's dithering. */
export interface DitherRecipe {
  /**
   * `none` takes the ink nearest to the eye; `named` is for pages of our own, which name their inks by nominal colours.
   */
  readonly method: 'diffusion' | 'ordered' | 'none' | 'named';
  readonly kernel: KernelName;
  readonly serpentine: boolean;
  /** The number of times that dots may settle. */
  readonly settling: number;
  /**
   * The tones for photographs, and for drawings: text, lines, flat areas. In a picture with both, each place gets the
   * tone that suits it.
   */
  readonly photo: Tone;
  readonly drawn: Tone;
}

const asItIs: Tone = { black: 0, white: 0, reach: 0, contrast: 0, saturation: 0, sharpness: 0, strokes: 0 };
/** This tone is just enough that almost white paper and almost black ink carry no dots. */
const clean: Tone = { ...asItIs, white: 3, reach: 6 };
const letters: Tone = { ...clean, strokes: 0.4 };
/** By this tone gray glyphs become dark enough to be read, their edges steep. */
const crisp: Tone = { black: 48, white: 48, reach: 79.5, contrast: 0.15, saturation: 0, sharpness: 0.3, strokes: 0.4 };

const plain: DitherRecipe = {
  method: 'diffusion',
  kernel: 'sierraLite',
  serpentine: true,
  settling: 1,
  photo: asItIs,
  drawn: asItIs,
};

/** The intents: ours, then the names that pages in the field use. */
export const intents = {
  auto: { ...plain, photo: clean, drawn: letters },
  photo: plain,
  text: { ...plain, photo: crisp, drawn: crisp },
  faithful: plain,
  lowNoise: { ...plain, settling: 3, photo: clean, drawn: letters },
  natural: { ...plain, photo: { ...clean, contrast: 0.08, saturation: 0.1 }, drawn: letters },
  readable: { ...plain, drawn: crisp, photo: { ...clean, contrast: 0.1, sharpness: 0.2 } },
  vivid: { ...plain, photo: { ...clean, contrast: 0.15, saturation: 0.35 }, drawn: { ...letters, saturation: 0.35 } },
} as const satisfies Record<string, DitherRecipe>;

export type Intent = keyof typeof intents;

/** The wishes of a page or a paper; a wish that is left out is the intent's. */
export interface DitherOptions {
  readonly intent?: Intent;
  readonly method?: DitherRecipe['method'];
  readonly kernel?: KernelName;
  readonly serpentine?: boolean;
}

/** Returns the intent that a name means, or undefined. */
export function intentNamed(name: unknown): Intent | undefined {
  return typeof name === 'string' && Object.hasOwn(intents, name) ? (name as Intent) : undefined;
}

/** Returns the recipe of a wish. */
export function recipeOf({ intent = 'auto', ...asked }: DitherOptions): DitherRecipe {
  return { ...intents[intent], ...asked };
}
