/** The effect on connections when a paper's integration is changed, and changed back. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { furnish } from '../http/matrix.ts';
import { picture, withHttp } from '../http/world.ts';
import { usableManifest } from '../integration/integration-world.ts';

const test = suite('changed addresses');

const pluginConfigUrl = 'https://notes.example/notes/config.json';
const saved = { pluginConfigUrl, pluginManifest: usableManifest };

test('INV-57: a connection that a change of its paper ended stays ended when the former address is saved again', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const { organizationId: organization } = admin;
    const changes: Record<string, object> = {
      'another manifest': { meta: { ...saved, pluginConfigUrl: 'https://notes.example/other/config.json' } },
      'another callback': {
        meta: {
          ...saved,
          pluginManifest: { ...usableManifest, capabilities: { contentPush: { callbackPath: '/x' } } },
        },
      },
      'another origin': { meta: { ...saved, pluginConfigUrl: 'https://other.example/notes/config.json' } },
      'another kind': { kind: 'website' },
      'no integration': { meta: {} },
    };
    for (const [name, change] of Object.entries(changes)) {
      const { ids, bearer } = await furnish(world, admin);
      const status = async () => {
        const path = `/v1/integration-papers/connections/${ids.connection}/status`;
        const { json, status: code } = await call('GET', path, { headers: { authorization: bearer } });
        return code === 200 ? 'in force' : json.message;
      };
      const save = async (more: object) => {
        const json = { organization, deviceId: ids.device, kind: 'plugin', meta: saved, ...more };
        assert.is((await call('POST', `/papers/${ids.paper}`, { as: admin, json })).status, 200, name);
      };
      await save({ meta: { ...saved, pluginSettings: { heading: 'Shopping' }, title: 'Fridge' } });
      await save({ meta: { ...saved, pluginConfigUrl: pluginConfigUrl.replace('.example/', '.example:443/') } });
      assert.is(await status(), 'in force', 'what is saved is the same');
      const connectedAt = async () => {
        const path = `/v1/integration-papers/papers/${ids.paper}/connections`;
        return (await call('GET', path, { as: admin })).json.connections[0].connectedAt;
      };
      const begun = await connectedAt();
      world.passes(1_000);
      await save(change);
      assert.is(await status(), 'Integration configuration changed; reconnect', name);
      assert.is(await connectedAt(), begun, 'its end is not its beginning');
      await save({});
      assert.is(await status(), 'Integration configuration changed; reconnect', `${name}, and back`);

      const path = `/v1/integration-papers/papers/${ids.paper}/grants`;
      const { grant } = (
        await call('POST', path, { as: admin, json: { configUrl: pluginConfigUrl, settingsPage: './settings.html' } })
      ).json;
      const again = (await call('POST', '/v1/integration-papers/exchange', { json: { grant } })).json;
      assert.is(again.connectionId, ids.connection);
      assert.is.not(`Bearer ${again.token}`, bearer, 'INV-52: the tokens are new');
      assert.is(await status(), 'Connection not authorized', 'the former token');
    }
  }));

test('INV-57: the settings of an upload end a connection as well', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const { ids, bearer } = await furnish(world, admin);
    const upload = async (meta: object) => {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(picture('x'))]), 'x.png');
      body.append('settings', JSON.stringify({ meta }));
      assert.is((await call('POST', `/papers/uploadSingleImage/${ids.paper}`, { as: admin, body })).status, 200);
    };
    const status = async () => {
      const path = `/v1/integration-papers/connections/${ids.connection}/status`;
      return (await call('GET', path, { headers: { authorization: bearer } })).status;
    };
    await upload({ note: 'as it is' });
    assert.is(await status(), 200);
    await upload({ pluginConfigUrl: 'https://other.example/config.json' });
    await upload({ pluginConfigUrl });
    assert.is(await status(), 403);
  }));

test.run();
