/** Recipes that poll servers on loopback, through a network that leads every name there. */
import type { ServerResponse } from 'node:http';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import type { KeptData } from '../../api/recipes/data/kept-data.ts';
import { lookUpOptions, type OptionsWish } from '../../api/recipes/data/look-up-options.ts';
import { type Polling, pollRecipe } from '../../api/recipes/data/read-recipe.ts';
import type { FieldLookup } from '../../api/recipes/package/recipe-fields.ts';
import { type RecipeSettings, readSettingsFile } from '../../api/recipes/package/recipe-settings.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, type Received, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';
import { withRecipeThreads } from './work-world.ts';

/** The parts of a poll that differ from the usual. */
export interface PollMore extends Partial<Omit<Polling, 'recipe'>> {
  readonly settings?: Partial<RecipeSettings>;
  readonly transform?: string;
}

export interface PollWorld extends Receiver {
  readonly clock: HandClock;
  /** Polls an address, or several by lines; fails with the sentence of a poll that could not be made. */
  poll(addresses: string, more?: PollMore): Promise<KeptData>;
  /** Looks up the choices of a field, as `label=value`, or says why there are none. */
  lookUp(lookup: Partial<FieldLookup>, more?: Partial<OptionsWish>): Promise<readonly string[] | string>;
}

const basis = readSettingsFile('strategy: polling');

/** Opens the world, and closes it after the test. */
export function withPolls(
  answer: (request: Received, response: ServerResponse) => void,
  run: (world: PollWorld) => Promise<void>,
): Promise<void> {
  return withReceiver(answer, (receiver) =>
    withRecipeThreads(async (threads) => {
      const clock = handClock();
      const network = fakeNetwork(receiver.port, () => ['93.184.215.14']);
      const deps = {
        clock,
        work: threads.work,
        follow: { wayOut: openWayOut({ network, clock }), home: noHomeNetworks },
      };
      await run({
        ...receiver,
        clock,
        async lookUp(lookup, more = {}) {
          const found = await lookUpOptions(deps, {
            sharer: ['house'],
            key: 'team',
            lookup: { endpoint: 'https://a.example/teams', isPost: false, sendsText: false, dependsOn: [], ...lookup },
            settings: basis,
            values: {},
            text: '',
            ...more,
          });
          return found.ok ? found.options.map(({ label, value }) => `${label}=${value}`) : wordsOf(found.reason);
        },
        async poll(addresses, { settings, transform, ...more } = {}) {
          const polled = await pollRecipe(deps, {
            sharer: ['house'],
            recipe: {
              settings: { ...basis, addresses, ...settings },
              views: { full: '' },
              ...(transform !== undefined && { transform }),
            },
            values: {},
            hasSecrets: false,
            logins: [],
            timeZone: 'Europe/Berlin',
            seen: {},
            kept: undefined,
            hosts: more.kept?.hosts,
            ...more,
          });
          if (!polled.ok) throw new Error(wordsOf(polled.reason));
          return polled.kept;
        },
      });
    }),
  );
}

/** Returns the data as a value. */
export const dataOf = ({ data }: KeptData): unknown => (data === undefined ? undefined : JSON.parse(data));

/** Returns what is wrong with each address, and an empty text where nothing is. */
export const problemsOf = ({ answers }: KeptData): string[] =>
  answers.map(({ problem }) => (problem === undefined ? '' : wordsOf(problem)));
