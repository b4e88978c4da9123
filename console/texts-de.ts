/** The German texts of every folder. */

import account from './account/de.json' with { type: 'json' };
import apiPage from './api-page/de.json' with { type: 'json' };
import shell from './de.json' with { type: 'json' };
import frames from './frames/de.json' with { type: 'json' };
import ground from './ground/de.json' with { type: 'json' };
import type { Catalogue } from './ground/words.ts';
import guests from './guests/de.json' with { type: 'json' };
import operating from './operating/de.json' with { type: 'json' };
import papers from './papers/de.json' with { type: 'json' };
import parts from './parts/de.json' with { type: 'json' };
import people from './people/de.json' with { type: 'json' };
import send from './send/de.json' with { type: 'json' };
import signIn from './sign-in/de.json' with { type: 'json' };

/** Every text in German; one that is missing does not compile. */
export const german = {
  ...shell,
  ...account,
  ...apiPage,
  ...frames,
  ...ground,
  ...guests,
  ...operating,
  ...papers,
  ...parts,
  ...people,
  ...send,
  ...signIn,
} satisfies Catalogue;
