/** Every screen by axe, in every look, full and empty, for members and for nobody. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { type ConsolePlace, withHome } from './furnished-home.ts';

const test = suite('every screen of the console');

const app = join(import.meta.dirname, '../../console');
/** The places of an organization that has nothing yet. */
const emptyPlaces: readonly ConsolePlace[] = [
  ['frames', 'Your wall is waiting'],
  ['frames?view=table', 'Your wall is waiting'],
  ['frames/add', 'Which frame do you have?'],
  ['frames/add?way=serial', 'Serial'],
  ['frames/add?way=asks', 'No frame is asking now'],
  ['frames/add?way=plain', 'OpenPaper 13'],
  ['frames/add?way=offline', 'Which one is it?'],
  ['frames/add?way=simulated', 'What should it look like?'],
  ['frames/0123456789abcdef01234567', 'There is no such frame'],
  ['send', 'Choose pictures'],
  ['papers', 'No content yet'],
  ['papers/new', 'Content is made for a frame'],
  ['papers/0123456789abcdef01234567', 'This content does not exist, or you have no access to it'],
  ['people', 'Invite somebody'],
  ['service', 'Happening now'],
  ['service/firmware', 'No frame has been added yet'],
  ['service/numbers', 'On the disk'],
  ['service/record', 'Nothing was proven to hang in this time.'],
  ['service/alerts', 'Nobody is notified of outages yet'],
  ['service/log', 'signed in'],
  ['account', 'this browser'],
  ['service/nowhere', 'There is no such page'],
  ['nowhere', 'There is no such page'],
];

/** Looks at places with one page, each by axe. */
async function lookAt(console: ConsolePage, places: readonly ConsolePlace[]): Promise<void> {
  for (const [place, awaited] of places) {
    await console.goTo(place);
    await console.sees(awaited);
    await console.isAccessible({ everyLook: true });
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

longTest(test)('every screen of a home is accessible', () =>
  withHome(async ({ openPage }, places) => lookAt(await openPage({ width: 360 }), places)),
);

longTest(test)('an organization that has nothing yet sees what to do, accessibly', () =>
  withConsole(async ({ openPage }) => lookAt(await openPage(), emptyPlaces)),
);

/** Makes somebody who may read what is linked to them. */
async function inviteReader({ person, organizationId }: ConsoleWorld, deviceId: string): Promise<string> {
  const json = { organization: organizationId, email: 'olga@example.org', name: 'Olga', role: 'patient' };
  const { id } = await callApi<{ id: string }>(person, 'POST', '/users/', json);
  await callApi(person, 'POST', `/devices/${deviceId}`, { patient: id });
  return id;
}

longTest(test)('readers, and those who are not signed in, have accessible screens', () =>
  withHome(async (world, places) => {
    const frame = places.find(([place]) => /^frames\/[0-9a-f]{24}$/.test(place))?.[0] ?? '';
    const reader = await inviteReader(world, frame.slice('frames/'.length));
    const readable = places
      .filter(([place]) => /^(?:frames|account|service)/.test(place) && !place.startsWith('frames/add?'))
      .map(([place, awaited]): ConsolePlace => {
        if (place === 'frames/add') return [place, 'You may not add frames here'];
        if (/^frames\/(?:jobs|groups)/.test(place))
          return [place, 'Jobs and groups are for those who may change frames'];
        if (place.endsWith('/record') && place.startsWith('frames/')) return [place, 'The record is for those'];
        if (place.endsWith('/settings')) return [place, 'but not change its settings'];
        return [place, place.includes('service/') ? 'There is no such page' : awaited];
      });
    await lookAt(await world.openPage({ userId: reader }), readable);
    const nobody = await world.openPage({ userId: null });
    // The screen behind the sign-in waits for somebody.
    await nobody.page.goto(`${world.http}/console/frames`);
    await nobody.sees('For the operator of Papergate');
    await nobody.isAccessible({ everyLook: true });
    await lookAt(nobody, [['guest#AAAA', 'This link does not work']]);
  }),
);

test.run();
