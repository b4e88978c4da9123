/**
 * What a page asks of the panel's picture, in `<meta name="paperless:epd-optimize">`, and a person of a paper's, in
 * `meta.optimize`: the same words in both.
 */
import { type DitherWish, type Intent, intentNamed } from './dithering/intents.ts';
import type { KernelName } from './dithering/kernels.ts';

/** The wishes that are understood. `enabled: false` asks for no dithering; `palette` names a measured palette. */
export interface OptimizeTag extends DitherWish {
  readonly enabled: boolean;
  readonly palette?: string;
}

/** The most that is read of a tag, in characters. */
const longestContent = 4_000;

/** Where pages put the settings of dithering; each may stand at the top level as well. */
const groups = ['options', 'ditherOptions', 'canvasDitherOptions'] as const;

const methods: Readonly<Record<string, DitherWish['method']>> = {
  errorDiffusion: 'diffusion',
  diffusion: 'diffusion',
  ordered: 'ordered',
  blueNoise: 'ordered',
  quantizationOnly: 'none',
  none: 'none',
};

/** Kernels by our names and by those that pages use. */
const kernelNames: Readonly<Record<string, KernelName>> = {
  floydSteinberg: 'floydSteinberg',
  jarvis: 'jarvisJudiceNinke',
  jarvisJudiceNinke: 'jarvisJudiceNinke',
  stucki: 'stucki',
  burkes: 'burkes',
  sierra: 'sierra',
  sierra3: 'sierra',
  'sierra2-4a': 'sierraLite',
  sierraLite: 'sierraLite',
  atkinson: 'atkinson',
};

type Wishes = Readonly<Record<string, unknown>>;

const isWishes = (value: unknown): value is Wishes =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function named<Value>(names: Readonly<Record<string, Value>>, name: unknown): Value | undefined {
  return typeof name === 'string' && Object.hasOwn(names, name) ? names[name] : undefined;
}

/**
 * Reads the tag's content: a bare intent or a JSON object. Anything else is ignored, as pages expect.
 * @returns undefined when there is nothing to understand
 */
export function readOptimizeTag(content: string): OptimizeTag | undefined {
  const text = content.trim();
  const bare = intentNamed(text);
  if (bare !== undefined) return { enabled: true, intent: bare };
  if (!text.startsWith('{') || text.length > longestContent) return undefined;
  try {
    return readOptimizeWishes(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Reads a paper's `meta.optimize`: an intent, or an object with the tag's keys. Unknown keys and values are ignored. */
export function readOptimizeWishes(value: unknown): OptimizeTag | undefined {
  const bare = intentNamed(value);
  if (bare !== undefined) return { enabled: true, intent: bare };
  if (!isWishes(value)) return undefined;
  const settings: Wishes = Object.assign({}, ...groups.map((group) => value[group]).filter(isWishes), value);
  const intent: Intent | undefined = intentNamed(value.intent);
  const palette = [value.palette, value.paletteName].find((name) => typeof name === 'string');
  const method = named(methods, settings.method ?? settings.ditheringType);
  const kernel = named(kernelNames, settings.kernel ?? settings.errorDiffusionMatrix);
  return {
    enabled: value.enabled !== false,
    ...(intent === undefined ? {} : { intent }),
    ...(typeof palette === 'string' ? { palette } : {}),
    ...(method === undefined ? {} : { method }),
    ...(kernel === undefined ? {} : { kernel }),
    ...(typeof settings.serpentine === 'boolean' ? { serpentine: settings.serpentine } : {}),
  };
}

/** What a person set for a paper counts before what its page asks for; either may ask for no dithering. */
export function mergeOptimize(page: OptimizeTag | undefined, paper: OptimizeTag | undefined): OptimizeTag | undefined {
  if (page === undefined || paper === undefined) return paper ?? page;
  return { ...page, ...paper, enabled: page.enabled && paper.enabled };
}
