/** Grants, exchanges, revocation, and who may do them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, grantFor, push, usableManifest, type World, withWorld } from './integration-world.ts';

const test = suite('connection life');

const exchange = (world: World, grant: unknown, address = '192.0.2.1') =>
  world.call('POST', '/exchange', { body: { grant }, address });

test('INV-49, T-28: of many exchanges of one grant at once exactly one succeeds', async () => {
  await withWorld(async (world) => {
    const grant = await grantFor(world, await world.addPerson('user'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(world, grant)));
    assert.equal(answers.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(401)]);
    assert.equal(answers.find(({ status }) => status === 401)?.message, 'Connection grant expired or used');
    assert.is((await world.db('connections')).length, 1);
  });
});

test('INV-50: a grant works at 4:59.999 and not at 5:00', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const timely = await grantFor(world, person);
    world.clock.passes(5 * 60_000 - 1);
    assert.is((await exchange(world, timely)).status, 200);
    const late = await grantFor(world, person);
    world.clock.passes(5 * 60_000);
    assert.is((await exchange(world, late)).code, 'grant-spent');
  });
});

test("INV-50: a new grant ends the same user's older one for the paper, and nobody else's", async () => {
  await withWorld(async (world) => {
    const [ada, bob] = [await world.addPerson('user'), await world.addPerson('admin')];
    const first = await grantFor(world, ada);
    const other = await grantFor(world, bob);
    const second = await grantFor(world, ada);
    assert.is((await exchange(world, first)).status, 401);
    assert.is((await exchange(world, other)).status, 200);
    assert.is((await exchange(world, second)).status, 200);
  });
});

test('INV-51, D-6: an exchange refused by validation leaves its grant unused', async () => {
  await withWorld(async (world) => {
    const grant = await grantFor(world, await world.addPerson('user'));
    const saved = { pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest: world.manifest };
    await world.setMeta({ ...saved, pluginManifest: { ...world.manifest, settingsPage: './other.html' } });
    assert.is((await exchange(world, grant)).code, 'configuration-not-saved');
    await world.setMeta({ ...saved, pluginManifest: { ...world.manifest, renderPage: 'http://10.0.0.1/' } });
    assert.is((await exchange(world, grant)).code, 'invalid-integration-configuration');
    await world.setMeta(saved);
    assert.is((await exchange(world, grant)).status, 200);
    assert.is((await exchange(world, grant)).status, 401);
  });
});

test('INV-52: an unchanged active connection keeps its credentials, a revoked one gets new ones', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const first = await connect(world, person);
    assert.equal(await connect(world, person), first);
    assert.is(
      (await world.call('DELETE', `/connections/${first.connectionId}`, { headers: first.bearer })).status,
      204,
    );
    const second = await connect(world, person);
    assert.is(second.connectionId, first.connectionId);
    assert.is.not(second.token, first.token);
    assert.is.not(second.callbackToken, first.callbackToken);
    const [row] = await world.db('connections');
    assert.is(row.generation, 2);
    assert.is((await push(world, first, { messageId: 'a', text: 'old token' })).status, 401);
    assert.is((await push(world, second, { messageId: 'a', text: 'new token' })).status, 202);
  });
});

test('lifecycle rule 5: a changed provider URL asks for reconnection, which is the next generation', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const first = await connect(world, person);
    const manifest = { ...world.manifest, capabilities: { contentPush: { callbackPath: '/hooks/moved' } } };
    await world.setMeta({ pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest: manifest });
    const refused = await push(world, first, { messageId: 'a', text: 'hello' });
    assert.equal([refused.status, refused.message], [403, 'Integration configuration changed; reconnect']);
    const second = await connect(world, person);
    assert.is.not(second.token, first.token);
    assert.is((await world.db('connections').first()).callback_url, `${world.origin}/hooks/moved`);
  });
});

test('INV-56: reconnection after a change leaves the queued work of the old generation behind', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    await push(world, await connect(world, person), { messageId: 'a', text: 'a' });
    const renderPage = './other.html';
    const pluginManifest = { ...world.manifest, renderPage };
    await world.setMeta({ pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest });
    const again = await connect(world, person);
    const request = await world.db('content_requests').first();
    assert.equal([request.state, request.due_at], ['revoked', null]);
    assert.equal(await world.db('callback_events').whereNotNull('due_at'), []);
    const status = await world.call('GET', `/connections/${again.connectionId}/status`, { headers: again.bearer });
    assert.is(status.body.state, 'empty');
    assert.is((await world.db('paper_contents').first()).text, 'a');
  });
});

test('A-29: another spelling of the same URLs, and a paper saved without its manifest, are not a change', async () => {
  await withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    const manifest = { ...world.manifest, renderPage: `${world.origin}:443/notes/render.html` };
    await world.setMeta({ pluginConfigUrl: `${world.origin}:443/notes/config.json`, pluginManifest: manifest });
    assert.is((await push(world, connected, { messageId: 'a', text: 'spelling' })).status, 202);
    await world.setMeta({ pluginConfigUrl: `${world.origin}/notes/config.json`, pluginSettings: { a: 1 } });
    assert.is((await push(world, connected, { messageId: 'b', text: 'no manifest' })).status, 202);
    await world.setMeta({ pluginConfigUrl: `${world.origin}/other/config.json` });
    assert.is((await push(world, connected, { messageId: 'c', text: 'moved' })).code, 'integration-changed');
  });
});

test('INV-57, A-6: lost membership, roles that may not write and a moved paper end access with their own words', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const [member] = person.memberships;
    const attempt = async () => {
      const { status, message } = await push(world, connected, { messageId: 'a', text: 'hello' });
      return `${status} ${message}`;
    };
    const grant = await grantFor(world, person);
    for (const role of ['onlyself', 'patient']) {
      await world.db('users').where({ id: member?.userId }).update({ role });
      assert.is(await attempt(), '403 Paper access denied', role);
      const headers = connected.bearer;
      const asked = await world.call('GET', `/connections/${connected.connectionId}/status`, { headers });
      assert.is(asked.code, 'paper-access-denied', role);
      assert.is((await exchange(world, grant)).code, 'paper-access-denied', role);
    }
    await world.db('users').where({ id: member?.userId }).update({ role: 'user' });
    await world.db('papers').update({ organization_id: await world.addOrganization() });
    assert.is(await attempt(), '403 Integration configuration changed; reconnect');
    await world.db('papers').update({ organization_id: world.organizationId });
    await world.db('users').where({ id: member?.userId }).delete();
    assert.is(await attempt(), '403 Paper access denied');
    const { connectionId, bearer } = connected;
    const status = await world.call('GET', `/connections/${connectionId}/status`, { headers: bearer });
    assert.is(status.code, 'paper-access-denied');
    // D-9: revoked as well
    await world.db('connections').update({ revoked_at: world.clock.now() });
    assert.is(await attempt(), '401 Connection not authorized');
  });
});

test('INV-65, T-16: unknown ids, impossible ids, wrong tokens and other credentials answer alike', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const { connectionId, token, callbackToken } = await connect(world, person);
    const grant = await grantFor(world, person);
    const unknown = '0123456789abcdef01234567';
    const headers = [
      {},
      { authorization: '' },
      { authorization: 'Bearer ' },
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
      { authorization: `Bearer ${callbackToken}` },
      { authorization: `Bearer ${grant}` },
      { 'x-api-key': token },
    ].map((header) => ({ connectionId, header }));
    const ids = [unknown, 'nonsense', `${connectionId}%00`, connectionId.toUpperCase(), '..'].map((id) => ({
      connectionId: id,
      header: { authorization: `Bearer ${token}` },
    }));
    for (const wrong of [...headers, ...ids]) {
      const calls = await Promise.all([
        world.call('POST', `/connections/${wrong.connectionId}/content`, { headers: wrong.header }),
        world.call('GET', `/connections/${wrong.connectionId}/status`, { headers: wrong.header }),
        world.call('DELETE', `/connections/${wrong.connectionId}`, { headers: wrong.header }),
      ]);
      for (const { status, code, message } of calls) {
        assert.equal([status, code, message], [401, 'connection-unauthorized', 'Connection not authorized']);
      }
    }
    const right = await world.call('GET', `/connections/${connectionId}/status`, {
      headers: { authorization: `bearer ${token}` },
    });
    assert.is(right.body.state, 'empty');
  });
});

test('INV-65, INV-67: the 31st submission in a minute gets 429, and only the token holder uses up the limit', async () => {
  await withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    const stranger = { ...connected, bearer: { authorization: 'Bearer wrong' } };
    for (let i = 0; i < 40; i++) assert.is((await push(world, stranger, { messageId: 'a', text: 'b' })).status, 401);
    for (let i = 0; i < 30; i++) assert.is((await push(world, connected, { messageId: 'a', text: 'b' })).status, 202);
    const limited = await push(world, connected, { messageId: 'a', text: 'b' });
    assert.is(limited.status, 429);
    assert.ok(Number.isInteger(limited.retryAfterSeconds) && Number(limited.retryAfterSeconds) >= 1);
  });
});

test('INV-67, T-29: the 61st exchange of an address in a minute gets 429, even for a grant that would work', async () => {
  await withWorld(async (world) => {
    const grant = await grantFor(world, await world.addPerson('user'));
    for (let i = 0; i < 60; i++) assert.is((await exchange(world, 'wrong', '2001:db8::1')).status, 401);
    assert.is((await exchange(world, grant, '2001:db8:0:0:ffff::2')).status, 429);
    assert.is((await exchange(world, grant, '2001:db8:0:1::1')).status, 200);
  });
});

test('INV-68: disabled processing stops new grants and content, nothing else', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const { connectionId, bearer } = connected;
    const grant = await grantFor(world, person);
    Object.assign(world.deps.settings, { processingEnabled: false });
    const body = { configUrl: `${world.origin}/notes/config.json`, settingsPage: './settings.html' };
    const refused = await world.call('POST', `/papers/${world.paperId}/grants`, { as: person, body });
    assert.equal([refused.status, refused.message], [503, 'Integration processing is disabled']);
    assert.is((await push(world, connected, { messageId: 'a', text: 'b' })).status, 503);
    assert.is((await exchange(world, grant)).status, 200);
    assert.is((await world.call('GET', `/connections/${connectionId}/status`, { headers: bearer })).status, 200);
    assert.is((await world.call('GET', `/papers/${world.paperId}/content`, { as: person })).status, 200);
    assert.is((await world.call('DELETE', `/connections/${connectionId}`, { headers: bearer })).status, 204);
  });
});

test('INV-55: a person ends only their own connection and grants, with a broken manifest too', async () => {
  await withWorld(async (world) => {
    const [ada, bob] = [await world.addPerson('user'), await world.addPerson('user')];
    const [hers, his] = [await connect(world, ada), await connect(world, bob)];
    const [herGrant, hisGrant] = [await grantFor(world, ada), await grantFor(world, bob)];
    await world.setMeta({ pluginConfigUrl: 'not a url', pluginManifest: 17 });
    const path = `/papers/${world.paperId}/connection`;
    assert.is((await world.call('DELETE', path, { as: ada })).status, 204);
    await world.setMeta({ pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest: world.manifest });
    assert.is((await push(world, hers, { messageId: 'a', text: 'b' })).status, 401);
    assert.is((await push(world, his, { messageId: 'a', text: 'b' })).status, 202);
    assert.is((await exchange(world, herGrant)).status, 401);
    assert.is((await exchange(world, hisGrant)).status, 200);
    assert.is((await world.call('DELETE', path, { as: ada })).status, 204);
    assert.is((await world.call('DELETE', '/papers/0123456789abcdef01234567/connection', { as: ada })).status, 204);
  });
});

test('A-8, A-6: foreign, unknown and impossible papers and roles that may not write get the same 403', async () => {
  await withWorld(async (world) => {
    const stranger = await world.addPerson('admin', await world.addOrganization());
    const onlySelf = await world.addPerson('onlyself');
    const patient = await world.addPerson('patient');
    const body = { configUrl: `${world.origin}/notes/config.json`, settingsPage: './settings.html' };
    const calls = [
      { as: stranger, id: world.paperId },
      { as: stranger, id: '0123456789abcdef01234567' },
      { as: stranger, id: 'nonsense' },
      { as: onlySelf, id: world.paperId },
      { as: patient, id: world.paperId },
    ];
    for (const { as, id } of calls) {
      const grant = await world.call('POST', `/papers/${id}/grants`, { as, body });
      const preview = await world.call('GET', `/papers/${id}/content`, { as });
      for (const { status, message } of [grant, preview]) assert.equal([status, message], [403, 'Paper access denied']);
    }
  });
});

test('grant creation tells apart what is not usable, not saved and not matching', async () => {
  await withWorld(async (world) => {
    const as = await world.addPerson('user');
    const configUrl = `${world.origin}/notes/config.json`;
    const ask = async (meta: unknown, body: unknown, kind = 'plugin') => {
      const { status, code } = await world.call('POST', `/papers/${await world.addPaper(meta, kind)}/grants`, {
        as,
        body,
      });
      return code ?? status;
    };
    const saved = { pluginConfigUrl: configUrl, pluginManifest: usableManifest };
    const options = { configUrl, settingsPage: './settings.html' };
    assert.is(await ask(saved, options), 201);
    assert.is(await ask(saved, { ...options, settingsPage: `${world.origin}/notes/settings.html` }), 201);
    assert.is(await ask(saved, { ...options, settingsPage: '/notes/settings.html' }), 201);
    assert.is(await ask(saved, { ...options, settingsPage: './render.html' }), 'configuration-not-saved');
    assert.is(await ask(saved, { ...options, configUrl: `${world.origin}/config.json` }), 'configuration-not-saved');
    assert.is(await ask({}, options), 'configuration-not-saved');
    assert.is(await ask(saved, options, 'image'), 'invalid-integration-configuration');
    assert.is(await ask({ ...saved, pluginManifest: {} }, options), 'invalid-integration-configuration');
    assert.is(
      await ask({ ...saved, pluginConfigUrl: 'http://127.0.0.1/' }, options),
      'invalid-integration-configuration',
    );
    assert.is(await ask(saved, { configUrl }), 'invalid-integration-request');
  });
});

test('A-29, D-8: a manifest that is not saved is fetched and saved with the grant; an unreachable one is refused', async () => {
  await withWorld(async (world) => {
    const as = await world.addPerson('user');
    const configUrl = `${world.origin}/notes/config.json`;
    const paperId = await world.addPaper({ pluginConfigUrl: configUrl, pluginSettings: { a: 1 } });
    const body = { configUrl, settingsPage: './settings.html' };
    const refused = await world.call('POST', `/papers/${paperId}/grants`, { as, body });
    assert.equal([refused.status, refused.message], [400, 'Invalid push integration configuration']);
    world.manifests.set(configUrl, { ok: true, manifest: usableManifest });
    assert.is((await exchange(world, await grantFor(world, as, paperId))).status, 200);
    const { meta } = await world.db('papers').where({ id: paperId }).first('meta');
    assert.equal(JSON.parse(meta), {
      pluginConfigUrl: configUrl,
      pluginSettings: { a: 1 },
      pluginManifest: usableManifest,
    });
  });
});

test('T-21: a manifest that makes the meta of its paper too large is not saved, and there is no grant', async () => {
  await withWorld(async (world) => {
    const as = await world.addPerson('user');
    const configUrl = `${world.origin}/notes/config.json`;
    const paperId = await world.addPaper({ pluginConfigUrl: configUrl, note: 'x'.repeat(250 * 1024) });
    world.manifests.set(configUrl, { ok: true, manifest: { ...usableManifest, note: 'x'.repeat(10 * 1024) } });
    const before = await world.db('papers').where({ id: paperId }).first();
    const body = { configUrl, settingsPage: './settings.html' };
    const refused = await world.call('POST', `/papers/${paperId}/grants`, { as, body });
    assert.equal([refused.status, refused.message], [413, 'meta would be larger than 256 KiB']);
    assert.equal(await world.db('papers').where({ id: paperId }).first(), before);
    assert.equal(await world.db('grants'), []);
  });
});

test('T-13: nothing that is stored works as a credential', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const connected = await connect(world, person);
    const grant = await grantFor(world, person);
    const rows = [...(await world.db('connections')), ...(await world.db('grants'))];
    const stored = rows.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string');
    assert.ok(stored.length > 10);
    for (const value of stored) {
      for (const secret of [connected.token, connected.callbackToken, grant]) assert.not.ok(value.includes(secret));
      const bearer = { authorization: `Bearer ${value}` };
      assert.is((await push(world, { ...connected, bearer }, { messageId: 'a', text: 'b' })).status, 401);
      assert.is((await exchange(world, value, `192.0.2.${stored.indexOf(value)}`)).status, 401);
    }
  });
});

test.run();
