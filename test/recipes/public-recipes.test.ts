/** The search of TRMNL's public list: what is asked, what is read of an answer, and that it is off unless it is allowed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { publicRecipeSearch } from '../../api/recipes/public-recipes.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { withHttp } from '../http/world.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('public recipes');
const sharer = ['house'];

const tide = {
  id: 4711,
  name: 'Tide',
  icon_url: 'https://strange.example/icon.png',
  author_bio: { description: 'High and low', category: 'nature', github_url: 'https://github.com/someone/tide' },
  stats: { installs: 12 },
};

test('the list is asked by words at its one address, its answers are kept, and pictures are left out', () =>
  withReceiver(
    (_request, response) => {
      const odd = [
        { ...tide, id: 4712, name: 'Odd', author_bio: 'text', stats: null, license: 'MIT' },
        { ...tide, id: 4713, author_bio: { ...tide.author_bio, github_url: 'javascript:alert(1)' } },
        { ...tide, id: '../1' },
        { id: 4714 },
        null,
      ];
      response.writeHead(200).end(JSON.stringify({ data: [tide, ...odd], total: 80 }));
    },
    async ({ port, received }) => {
      const clock = handClock();
      const network = fakeNetwork(port, () => ['93.184.215.14']);
      const search = publicRecipeSearch({ wayOut: openWayOut({ network, clock }), clock });
      const { recipes, total } = await search(sharer, ' Tide  tables ');
      assert.equal(network.resolved, ['trmnl.com']);
      assert.is(received[0]?.path, '/recipes.json?search=tide+tables&sort-by=popularity&per_page=50');
      assert.equal(
        [total, recipes.map(({ id, licence, author }) => [id, licence, author])],
        [
          80,
          [
            ['4711', '', 'https://github.com/someone/tide'],
            ['4712', 'MIT', ''],
            ['4713', '', ''],
          ],
        ],
      );
      assert.not.match(JSON.stringify(recipes), /strange/);
      await search(sharer, 'tide tables');
      assert.is(received.length, 1, 'the same words are not asked again');
      clock.passes(11 * 60_000);
      await search(sharer, 'tide tables');
      assert.is(received.length, 2);
    },
  ));

test('an answer that does not fit, a redirect and a long one fail with their reason, and are asked again', () =>
  withReceiver(
    ({ path }, response) => {
      if (path.includes('moved')) response.writeHead(302, { location: 'http://192.168.1.9/' }).end();
      else if (path.includes('long')) response.writeHead(200).end(Buffer.alloc(5 * 2 ** 20, ' '));
      else response.writeHead(200).end(path.includes('text') ? '<html>' : '{"data":{}}');
    },
    async ({ port, received }) => {
      const clock = handClock();
      const network = fakeNetwork(port, () => ['93.184.215.14']);
      const search = publicRecipeSearch({ wayOut: openWayOut({ network, clock }), clock });
      const answers = [
        ['moved', 'status 302'],
        ['long', 'the answer is too long'],
        ['text', 'it is not JSON'],
        ['other', 'it answered in a form that is not known here'],
        ['other', 'it answered in a form that is not known here'],
      ];
      for (const [words = '', reason] of answers) {
        await search(sharer, words).then(
          () => assert.unreachable(words),
          (error) => assert.is(wordsOf(error.reason), reason, words),
        );
      }
      assert.is(received.length, answers.length);
      const inside = fakeNetwork(port, () => ['192.168.1.9']);
      const turned = publicRecipeSearch({ wayOut: openWayOut({ network: inside, clock }), clock });
      await turned(sharer, 'x').then(
        () => assert.unreachable(),
        (error) => assert.ok(error instanceof ReasonedError),
      );
      assert.equal(inside.dialled, []);
    },
  ));

test('the search is off unless the operator allows it', async () => {
  assert.is(readSettings({}).PAPERGATE_PUBLIC_RECIPES, 'disabled');
  assert.throws(() => readSettings({ PAPERGATE_PUBLIC_RECIPES: 'yes' }), /PAPERGATE_PUBLIC_RECIPES/);
  await withHttp(async ({ call, admin }) => {
    const { status, json } = await call('GET', `/recipes/public?organization=${admin.organizationId}&search=tide`, {
      as: admin,
    });
    assert.equal([status, json], [200, { isAllowed: false, total: 0, recipes: [] }]);
  });
});

test('members are answered what the list has, or why it did not answer', () =>
  withHttp(
    async ({ call, admin }) => {
      const path = `/recipes/public?organization=${admin.organizationId}`;
      const found = await call('GET', `${path}&search=tide`, { as: admin });
      assert.equal([found.status, found.json.total, found.json.recipes[0].id], [200, 1, '4711']);
      const failed = await call('GET', `${path}&search=away`, { as: admin });
      assert.equal(
        [failed.json.problem, failed.json.problems[0].code],
        ['the public list at trmnl.com did not answer: status 500', 'public-recipes-failed'],
      );
      assert.is((await call('GET', path)).status, 401);
    },
    {
      searchPublicRecipes: async (_sharer, words) => {
        if (words === 'away') throw new ReasonedError(reasonOf('answer-status', { status: 500 }));
        const shown = { description: '', category: '', author: '', licence: '', installs: 0 };
        return { recipes: [{ id: '4711', name: 'Tide', ...shown }], total: 1 };
      },
    },
  ));

test.run();
