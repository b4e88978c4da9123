/** What a picture is for, and what that means for its dithering. */
import type { KernelName } from './kernels.ts';

/** How a picture is prepared before its colours are mapped. 0 leaves a thing as it is. */
export interface Tone {
  /** Bytes below it become black and bytes above `255 - ends` white, what lies between is stretched. Grays only. */
  readonly ends: number;
  /** Steepness added at middle gray, as a share. */
  readonly contrast: number;
  /** Colourfulness added, as a share. */
  readonly saturation: number;
  /** How much of its difference from its neighbours is added to each pixel. */
  readonly sharpness: number;
}

/** All that is decided about a picture's dithering. */
export interface Recipe {
  /** `none` takes what is nearest to the eye; `named` is for pages of our own, which name their inks by nominal colours. */
  readonly method: 'diffusion' | 'ordered' | 'none' | 'named';
  readonly kernel: KernelName;
  readonly serpentine: boolean;
  /** How often dots may settle. */
  readonly settling: number;
  /** For photographs, and for what is drawn: letters, lines, flat areas. Pictures with both are told apart by place. */
  readonly photo: Tone;
  readonly drawn: Tone;
}

const asItIs: Tone = { ends: 0, contrast: 0, saturation: 0, sharpness: 0 };
/** Enough that almost white paper and almost black ink carry no dots. */
const clean: Tone = { ...asItIs, ends: 3 };
/** Gray letters become dark enough to be read, their edges steep. */
const crisp: Tone = { ends: 48, contrast: 0.15, saturation: 0, sharpness: 0.3 };

const plain: Recipe = {
  method: 'diffusion',
  kernel: 'sierraLite',
  serpentine: true,
  settling: 1,
  photo: asItIs,
  drawn: asItIs,
};

/** The intents: ours, then the names that pages in the field use. */
export const intents = {
  auto: { ...plain, drawn: clean },
  photo: plain,
  text: { ...plain, photo: crisp, drawn: crisp },
  faithful: plain,
  lowNoise: { ...plain, settling: 3, drawn: clean },
  natural: { ...plain, photo: { ...asItIs, contrast: 0.08, saturation: 0.1 }, drawn: clean },
  readable: { ...plain, drawn: crisp, photo: { ...asItIs, contrast: 0.1, sharpness: 0.2 } },
  vivid: { ...plain, photo: { ...asItIs, contrast: 0.15, saturation: 0.35 }, drawn: { ...clean, saturation: 0.35 } },
} as const satisfies Record<string, Recipe>;

/** The name of an intent. */
export type Intent = keyof typeof intents;

/** What a page or a paper asks for; what is left out is the intent's. */
export interface DitherWish {
  readonly intent?: Intent;
  readonly method?: Recipe['method'];
  readonly kernel?: KernelName;
  readonly serpentine?: boolean;
}

/** The intent that a name means, or undefined. */
export function intentNamed(name: unknown): Intent | undefined {
  return typeof name === 'string' && Object.hasOwn(intents, name) ? (name as Intent) : undefined;
}

/** The recipe of a wish. */
export function recipeOf({ intent = 'auto', ...asked }: DitherWish): Recipe {
  return { ...intents[intent], ...asked };
}
