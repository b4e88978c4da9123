/** The recipes of an organization over the API: listed, taken in, changed and removed, each by its own members alone. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLivePapers } from './live-world.ts';
import { zip } from './zip.ts';

const test = suite('routes of recipes');

const settings = 'name: Board\nstrategy: static\n';
const nothing = (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(404).end();

test('recipes are those that come along and the organization’s own; those of others are not found', () =>
  withLivePapers(nothing, async ({ call, admin, user, patient, stranger, write }) => {
    const { organizationId: organization } = admin;
    const list = async (as = admin, of = organization) => call('GET', `/recipes/?organization=${of}`, { as });
    const own = (await list()).json.length;
    assert.is(own, 13);
    const made = await write(settings);
    assert.is(made.status, 201, made.text);
    const path = `/recipes/${made.json.id}`;
    assert.equal(
      [(await list()).json.at(-1).name, (await list(user)).json.length, (await list(stranger)).status],
      ['Board', own + 1, 404],
    );
    const read = (as = admin, of = organization) => call('GET', `${path}?organization=${of}`, { as });
    assert.equal([(await read()).status, (await read(user)).status, (await read(stranger)).status], [200, 200, 404]);
    assert.is((await read(stranger, stranger.organizationId)).status, 404, 'its id opens nothing elsewhere');
    assert.is((await call('GET', `/recipes/own-weather?organization=${organization}`, { as: user })).status, 200);
    assert.is((await call('GET', `/recipes/own-nothing?organization=${organization}`, { as: user })).status, 404);
    const change = (as = admin, of = organization) =>
      call('PUT', path, {
        as,
        json: { organization: of, settings: 'name: Other\nstrategy: static\n', views: { full: 'x' } },
      });
    assert.is((await change(patient)).status, 403);
    assert.is((await change(stranger)).status, 404);
    assert.is((await change(stranger, stranger.organizationId)).status, 404);
    assert.is((await change()).json.name, 'Other');
    const remove = (as = admin, of = organization) => call('DELETE', `${path}?organization=${of}`, { as });
    assert.equal([(await remove(patient)).status, (await remove(stranger)).status], [403, 404]);
    assert.is((await remove(stranger, stranger.organizationId)).status, 404);
    assert.ok([200, 204].includes((await remove()).status));
    assert.equal([(await remove()).status, (await read()).status], [404, 404]);
    const kept = await call('DELETE', `/recipes/own-weather?organization=${organization}`, { as: admin });
    assert.is(kept.status, 404, 'one that comes along is nobody’s to remove');
  }));

test('what cannot be a recipe is refused with what to do, and nothing of it is kept', () =>
  withLivePapers(nothing, async ({ call, admin, db, write }) => {
    const wrong: readonly (readonly [settings: string, full: string, why: RegExp])[] = [
      ['a: [', 'x', /cannot be read as YAML/],
      ['strategy: telepathy', 'x', /not known here/],
      ['strategy: plugin_merge', 'x', /merges data of plugins/],
      ['strategy: polling\noauth_enabled: true', 'x', /sign-in \(OAuth\)/],
      ['strategy: static\nstatic_data: "{"', 'x', /not JSON/],
      ['strategy: static', '', /has no markup/],
    ];
    for (const [text, full, why] of wrong) {
      const refused = await write(text, full);
      assert.is(refused.status, 400, text);
      assert.match(refused.text, why);
    }
    const archive = async (entries: Parameters<typeof zip>[0], folder?: string) => {
      const form = new FormData();
      form.set('organization', admin.organizationId);
      if (folder !== undefined) form.set('folder', folder);
      form.set('archive', new Blob([new Uint8Array(zip(entries))]), 'recipe.zip');
      return call('POST', '/recipes/archive', { as: admin, body: form });
    };
    const full = { name: 'full.liquid', text: 'x' };
    const file = { name: 'settings.yml', text: settings };
    assert.match((await archive([{ ...file, name: '../settings.yml' }, full])).text, /lead out of it/);
    assert.match((await archive([{ ...file, mode: 0o120777 }, full])).text, /has links/);
    const bomb = { name: 'full.liquid', text: Buffer.alloc(5 * 2 ** 20) };
    assert.match((await archive([file, bomb])).text, /too large for a recipe/);
    const two = ['a', 'b'].flatMap((name) => [
      { ...file, name: `${name}/settings.yml` },
      { ...full, name: `${name}/full.liquid` },
    ]);
    assert.match((await archive(two)).text, /several recipes \(/);
    assert.is((await archive(two, 'b')).status, 201);
    assert.is((await db('recipes')).length, 1);
  }));

test('a recipe is fetched from its address, and what is at other addresses is refused', () =>
  withLivePapers(
    ({ path, headers }, response) => {
      const found = zip([
        { name: 'repo/settings.yml', text: settings },
        { name: 'repo/full.liquid', text: 'x' },
      ]);
      if (headers.host === 'codeload.github.com') response.writeHead(200).end(found);
      else if (path.includes('page')) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else response.writeHead(404).end();
    },
    async ({ call, admin, db, received }) => {
      const fetched = (address: string) =>
        call('POST', '/recipes/address', { as: admin, json: { organization: admin.organizationId, address } });
      const made = await fetched('https://github.com/someone/board');
      assert.is(made.status, 201, made.text);
      assert.equal(made.json.source.kind, 'repository');
      assert.match((await fetched('https://a.example/none.zip')).text, /a\.example: .*404/);
      assert.match((await fetched('https://a.example/page.zip')).text, /not a zip archive/);
      assert.match((await fetched('http://a.example/x.zip')).text, /enter the https address/);
      assert.match((await fetched('https://192.168.1.4/x.zip')).text, /not public|not allow/);
      assert.is((await db('recipes')).length, 1);
      assert.is(received.length, 3);
    },
  ));

test('an organization has a bounded number of recipes', () =>
  withLivePapers(nothing, async ({ admin, db, write, random }) => {
    const { json } = await write(settings);
    const row = await db('recipes').where({ id: json.id }).first();
    await db('recipes').insert(Array.from({ length: 199 }, () => ({ ...row, id: random.id() })));
    const refused = await write(settings);
    assert.is(refused.status, 409);
    assert.match(refused.text, /at most 200 recipes/);
    assert.is((await db('recipes').where({ organization_id: admin.organizationId })).length, 200);
  }));

test.run();
