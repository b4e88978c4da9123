/**
 * Reads the settings of dithering: a page's, in `<meta name="paperless:epd-optimize">`, and a paper's, in
 * `meta.optimize`. The words are the same in both.
 */
import { isRecord } from '../../runtime/plain-record.ts';
import { type DitherOptions, type Intent, intentNamed } from './dithering/intents.ts';
import type { KernelName } from './dithering/kernels.ts';

/** The settings that are understood. `enabled: false` asks for no dithering; `palette` names a measured palette. */
export interface OptimizeTag extends DitherOptions {
  readonly enabled: boolean;
  readonly palette?: string;
}

/** The number of characters that are read of a tag. */
const maxContentLength = 4_000;

/** The names under which pages put the settings of dithering; each setting may stand at the top level as well. */
const groups = ['options', 'ditherOptions', 'canvasDitherOptions'] as const;

const methods: Readonly<Record<string, DitherOptions['method']>> = {
  errorDiffusion: 'diffusion',
  diffusion: 'diffusion',
  ordered: 'ordered',
  blueNoise: 'ordered',
  quantizationOnly: 'none',
  none: 'none',
};

/** The kernels, by our names and by those that pages use. */
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

type OptimizeOptions = Readonly<Record<string, unknown>>;

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
  if (!text.startsWith('{') || text.length > maxContentLength) return undefined;
  try {
    return readOptimizeOptions(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Reads a paper's `meta.optimize`: an intent, or an object with the tag's keys. Unknown keys and values are ignored. */
export function readOptimizeOptions(value: unknown): OptimizeTag | undefined {
  const bare = intentNamed(value);
  if (bare !== undefined) return { enabled: true, intent: bare };
  if (!isRecord(value)) return undefined;
  const settings: OptimizeOptions = Object.assign({}, ...groups.map((group) => value[group]).filter(isRecord), value);
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

/** Merges both. A person's settings for a paper take precedence over its page's; either may ask for no dithering. */
export function mergeOptimize(page: OptimizeTag | undefined, paper: OptimizeTag | undefined): OptimizeTag | undefined {
  if (page === undefined || paper === undefined) return paper ?? page;
  return { ...page, ...paper, enabled: page.enabled && paper.enabled };
}
