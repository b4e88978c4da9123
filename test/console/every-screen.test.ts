/** Every screen at both widths and in both schemes by axe, full and empty, for members and for nobody; and in German. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../../cli/client.ts';
import { sentences } from '../../runtime/sentences.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { type ConsolePlace, withHome } from './furnished-home.ts';

const test = suite('every screen of the console');

const app = join(import.meta.dirname, '../../api/console/app');
const looks = ([360, 1280] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** The places of an organization that has nothing yet. */
const emptyPlaces: readonly ConsolePlace[] = [
  ['frames', 'No frames yet'],
  ['frames?view=table', 'No frames yet'],
  ['frames/add', 'Add a frame'],
  ['frames/0123456789abcdef01234567', /\S/],
  ['send', /\S/],
  ['papers', 'No papers yet'],
  ['papers/new', /\S/],
  ['papers/0123456789abcdef01234567', /\S/],
  ['people', 'Invite somebody'],
  ['service', 'Happening now'],
  ['service/firmware', /\S/],
  ['service/numbers', 'On the disk'],
  ['service/log', 'signed in'],
  ['account', 'this browser'],
  ['nowhere', /\S/],
];

/** Looks at places with one page, each by axe. */
async function lookAt(console: ConsolePage, places: readonly ConsolePlace[]): Promise<void> {
  for (const [place, awaited] of places) {
    await console.goTo(place);
    await console.sees(awaited);
    await console.isAccessible();
  }
}

longTest(test)('the home of these tests has every screen that an address can show', async () => {
  const source = readFileSync(join(app, 'screens.tsx'), 'utf8');
  const loaders = [...source.matchAll(/^ {2}'?([a-z/…]+)'?: async \(\) =>/gm)].map(([, name = '']) => name);
  assert.ok(loaders.length >= 9, loaders.join());
  await withHome(async (_, places) => {
    const named = places.map(([place]) => place.replace(/[?#].*$/, '').replace(/[0-9a-f]{24}/, '…'));
    assert.equal(
      loaders.filter((name) => !named.includes(name)),
      [],
    );
  });
});

for (const look of looks) {
  longTest(test)(`every screen of a home is accessible at ${look.width} pixels, ${look.scheme}`, () =>
    withHome(async ({ openPage }, places) => lookAt(await openPage(look), places)),
  );
}

longTest(test)('an organization that has nothing yet is told what to do, accessibly in every look', () =>
  withConsole(async ({ openPage }) => {
    for (const look of looks) await lookAt(await openPage(look), emptyPlaces);
  }),
);

/** Makes somebody who may read what is linked to them. */
async function inviteReader({ person, organizationId }: ConsoleWorld, deviceId: string): Promise<string> {
  const json = { organization: organizationId, email: 'olga@example.org', name: 'Olga', role: 'patient' };
  const { id } = await callApi<{ id: string }>(person, 'POST', '/users/', json);
  await callApi(person, 'POST', `/devices/${deviceId}`, { patient: id });
  return id;
}

longTest(test)('readers, and those who are not signed in, have accessible screens in every look', () =>
  withHome(async (world, places) => {
    const frame = places.find(([place]) => /^frames\/[0-9a-f]{24}$/.test(place))?.[0] ?? '';
    const reader = await inviteReader(world, frame.slice('frames/'.length));
    const readable = places.filter(([place]) => /^(?:frames|account|service)/.test(place) && place !== 'frames/add');
    for (const look of looks) {
      const own = await world.openPage({ ...look, userId: reader });
      await lookAt(
        own,
        readable.map(([place]) => [place, /\S/]),
      );
      const nobody = await world.openPage({ ...look, userId: null });
      // The screen behind the sign-in waits for somebody.
      await nobody.page.goto(`${world.http}/console/frames`);
      await nobody.sees('Sign in');
      await nobody.isAccessible();
      await lookAt(nobody, [['guest#AAAA', 'This link opens nothing']]);
    }
  }),
);

/** Texts of at least two words without a value in them: nothing else says them. */
const plainTexts = (texts: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(texts).filter(([, text]) => /[a-z]{2,} [a-z]{2,}/.test(text) && !text.includes('{'));

longTest(test)('no English sentence of the console or the service stands on a screen in German', () =>
  withHome(async ({ openPage }, places) => {
    const read = (name: string) => JSON.parse(readFileSync(join(app, 'texts', `${name}.json`), 'utf8'));
    const [english, german] = [read('en'), read('de')];
    const foreign = [
      ...plainTexts(english).filter(([name, text]) => german[name] !== text),
      ...plainTexts(sentences as Readonly<Record<string, string>>),
    ];
    assert.ok(foreign.length > 500, String(foreign.length));
    const console = await openPage({ language: 'de' });
    const found: string[] = [];
    for (const [place] of places) {
      await console.goTo(place);
      await console.page.waitForSelector('h1');
      await console.isAccessible();
      const said = await console.text();
      found.push(...foreign.filter(([, text]) => said.includes(text)).map(([name]) => `${place}: ${name}`));
    }
    assert.equal(found, []);
  }),
);

test.run();
