/** The texts of every folder, brought together: English at once, another language when it is chosen. */

import account from './account/en.json' with { type: 'json' };
import apiPage from './api-page/en.json' with { type: 'json' };
import shell from './en.json' with { type: 'json' };
import frames from './frames/en.json' with { type: 'json' };
import ground from './ground/en.json' with { type: 'json' };
import { bringTexts } from './ground/words.ts';
import guests from './guests/en.json' with { type: 'json' };
import type operating from './operating/en.json';
import papers from './papers/en.json' with { type: 'json' };
import parts from './parts/en.json' with { type: 'json' };
import people from './people/en.json' with { type: 'json' };
import send from './send/en.json' with { type: 'json' };
import signIn from './sign-in/en.json' with { type: 'json' };

const english = {
  ...shell,
  ...account,
  ...apiPage,
  ...frames,
  ...ground,
  ...guests,
  ...papers,
  ...parts,
  ...people,
  ...send,
  ...signIn,
};

/** Those of the service's pages come with these pages: most people never open them. */
type English = typeof english & typeof operating;
declare module './ground/words.ts' {
  interface Texts extends English {}
}

bringTexts(english, {
  de: async () => (await import('./languages/de.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('./languages/fr.json', { with: { type: 'json' } })).default,
  es: async () => (await import('./languages/es.json', { with: { type: 'json' } })).default,
  it: async () => (await import('./languages/it.json', { with: { type: 'json' } })).default,
  nl: async () => (await import('./languages/nl.json', { with: { type: 'json' } })).default,
  pl: async () => (await import('./languages/pl.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./languages/pt.json', { with: { type: 'json' } })).default,
  qps: async () =>
    (await import('./languages/right-to-left.ts')).rightToLeft({
      ...english,
      ...(await import('./operating/en.json', { with: { type: 'json' } })).default,
    }),
});
