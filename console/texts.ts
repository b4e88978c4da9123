/**
 * The texts of every folder, brought together: those that any screen may show at once, those of a feature with its
 * screens, another language when it is chosen.
 */

import type account from './account/en.json';
import type apiPage from './api-page/en.json';
import shell from './en.json' with { type: 'json' };
import type frames from './frames/en.json';
import ground from './ground/en.json' with { type: 'json' };
import type { serviceSentences } from './ground/service-sentences.ts';
import { addTexts, bringTexts } from './ground/words.ts';
import type guests from './guests/en.json';
import type operating from './operating/en.json';
import type papers from './papers/en.json';
import parts from './parts/en.json' with { type: 'json' };
import type record from './parts/record/en.json';
import type people from './people/en.json';
import type send from './send/en.json';
import signIn from './sign-in/en.json' with { type: 'json' };

const english = { ...shell, ...ground, ...parts, ...signIn };

/** Features whose texts come with their screens: nobody opens them all. */
const features = {
  account: async () => (await import('./account/en.json', { with: { type: 'json' } })).default,
  apiPage: async () => (await import('./api-page/en.json', { with: { type: 'json' } })).default,
  frames: async () => (await import('./frames/en.json', { with: { type: 'json' } })).default,
  guests: async () => (await import('./guests/en.json', { with: { type: 'json' } })).default,
  operating: async () => (await import('./operating/en.json', { with: { type: 'json' } })).default,
  papers: async () => (await import('./papers/en.json', { with: { type: 'json' } })).default,
  people: async () => (await import('./people/en.json', { with: { type: 'json' } })).default,
  send: async () => (await import('./send/en.json', { with: { type: 'json' } })).default,
} as const;

/** Sentences of the service, and texts of the record, come with the first screen. */
const sentences = async () => ({
  ...(await import('./ground/service-sentences.ts')).serviceSentences,
  ...(await import('./parts/record/en.json', { with: { type: 'json' } })).default,
});

type English = typeof english &
  typeof serviceSentences &
  typeof record &
  typeof account &
  typeof apiPage &
  typeof frames &
  typeof guests &
  typeof operating &
  typeof papers &
  typeof people &
  typeof send;
declare module './ground/words.ts' {
  interface Texts extends English {}
}

/** Loads code that may show sentences of the service together with them. */
export async function withSentences<Code>(load: () => Promise<Code>): Promise<Code> {
  const [code, texts] = await Promise.all([load(), sentences()]);
  addTexts(texts);
  return code;
}

/** Loads code of a feature together with the feature's texts, so that nothing is drawn without its words. */
export async function withTexts<Code>(feature: keyof typeof features, load: () => Promise<Code>): Promise<Code> {
  const [code, texts] = await withSentences(() => Promise.all([load(), features[feature]()]));
  addTexts(texts);
  return code;
}

bringTexts(english, {
  de: async () => (await import('./languages/de.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('./languages/fr.json', { with: { type: 'json' } })).default,
  es: async () => (await import('./languages/es.json', { with: { type: 'json' } })).default,
  it: async () => (await import('./languages/it.json', { with: { type: 'json' } })).default,
  nl: async () => (await import('./languages/nl.json', { with: { type: 'json' } })).default,
  pl: async () => (await import('./languages/pl.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./languages/pt.json', { with: { type: 'json' } })).default,
  qps: async () => {
    const all: object[] = await Promise.all([...Object.values(features), sentences].map((load) => load()));
    return (await import('./languages/right-to-left.ts')).rightToLeft(Object.assign({}, english, ...all));
  },
});
