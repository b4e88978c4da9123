/** The status and previews that backends and people may read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connected, connect, push, type World, withWorld } from './integration-world.ts';

const test = suite('status and preview');

const status = (world: World, { connectionId, bearer }: Connected) =>
  world.call('GET', `/connections/${connectionId}/status`, { headers: bearer });

async function addDelivery(world: World, row: Record<string, unknown>): Promise<void> {
  const times = { created_at: world.clock.now(), updated_at: world.clock.now() };
  const usual = { paper_id: world.paperId, serial: 'epd7-1', frame_name: 'Kitchen', attempts: 0, ...times };
  await world.db('deliveries').insert({ id: world.random.id(), ...usual, ...row });
}

test('INV-58: a fresh or reconnected connection is `empty`, also when the paper has content', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const first = await connect(world, person);
    const empty = { paperId: world.paperId, name: 'Kitchen notes', state: 'empty', deliveries: [] };
    assert.equal((await status(world, first)).body, empty);
    await push(world, first, { messageId: 'a', text: 'a' });
    assert.is((await status(world, first)).body.state, 'accepted');
    await world.call('DELETE', `/connections/${first.connectionId}`, { headers: first.bearer });
    assert.is((await status(world, first)).status, 401);
    assert.equal((await status(world, await connect(world, person))).body, empty);
    assert.is((await world.db('paper_contents')).length, 1);
  });
});

test('D-3: the status tells the latest request, and the latest assignment of each frame', async () => {
  await withWorld(async (world) => {
    const connected = await connect(world, await world.addPerson('user'));
    await push(world, connected, { messageId: 'a', text: 'a' });
    const { body } = await push(world, connected, { messageId: 'b', text: 'b' });
    const request_id = body.requestId;
    await addDelivery(world, { request_id, id: 'a', device_id: 'one', assignment: 2, state: 'prepared' });
    await addDelivery(world, { request_id, id: 'b', device_id: 'one', assignment: 1, state: 'inactive' });
    await addDelivery(world, { request_id, device_id: 'two', assignment: 9, state: 'failed', frame_name: 'Hall' });
    const since = '2026-01-10T08:00:00.000Z';
    const described = (await status(world, connected)).body;
    assert.equal(described, {
      paperId: world.paperId,
      name: 'Kitchen notes',
      state: 'accepted',
      messageId: 'b',
      deliveries: [
        { deviceId: 'one', frameName: 'Kitchen', state: 'prepared', since },
        { deviceId: 'two', frameName: 'Hall', state: 'failed', since },
      ],
    });
  });
});

test('INV-75: the preview has no content before the first message, then the revision and a signed picture', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    const preview = async () => (await world.call('GET', `/papers/${world.paperId}/content`, { as: person })).body;
    const configUrl = 'https://notes.example/notes/config.json';
    const renderUrl = 'https://notes.example/notes/render.html';
    assert.equal(await preview(), { configUrl, renderUrl });
    const connected = await connect(world, await world.addPerson('user'));
    const { body } = await push(world, connected, { messageId: 'a', imageBase64: btoa('picture') });
    const { image_key } = await world.db('paper_contents').first();
    const revision = body.requestId;
    const imageUrl = `https://papers.example/images/${image_key}?for=${revision}`;
    const receivedAt = '2026-01-10T08:00:00.000Z';
    assert.equal(await preview(), { content: { revision, text: '', imageUrl, receivedAt }, configUrl, renderUrl });
    await push(world, connected, { messageId: 'b', text: 'words' });
    assert.equal(Object.keys((await preview()).content ?? {}), ['revision', 'text', 'receivedAt']);
  });
});

test('PAGE-21: the preview of a paper that was switched to another integration has nothing of the former', async () => {
  await withWorld(async (world) => {
    const person = await world.addPerson('user');
    await push(world, await connect(world, person), { messageId: 'a', text: 'secret' });
    const preview = async () => (await world.call('GET', `/papers/${world.paperId}/content`, { as: person })).body;
    const own = { pluginConfigUrl: `${world.origin}/notes/config.json`, pluginManifest: world.manifest };
    const other = { pluginConfigUrl: 'https://other.example/config.json', pluginManifest: world.manifest };
    await world.setMeta(other);
    assert.equal(Object.keys(await preview()), ['configUrl', 'renderUrl']);
    await world.setMeta(own);
    assert.is((await preview()).content !== undefined, true, 'it is kept for whoever brought it');
  });
});

test('A-6: a patient sees the preview of a paper only when a frame of theirs shows it', async () => {
  await withWorld(async (world) => {
    const patient = await world.addPerson('patient');
    const look = () => world.call('GET', `/papers/${world.paperId}/content`, { as: patient });
    assert.is((await look()).code, 'paper-access-denied');
    await world.db('devices').insert({
      id: world.random.id(),
      organization_id: world.organizationId,
      patient: patient.memberships[0]?.userId ?? null,
      paper_id: world.paperId,
      assignment: 1,
      meta: '{}',
      details: '{}',
      created_at: world.clock.now(),
      updated_at: world.clock.now(),
    });
    assert.is((await look()).status, 200);
  });
});

test('the preview of a paper without a usable integration is refused', async () => {
  await withWorld(async (world) => {
    const as = await world.addPerson('user');
    const image = await world.addPaper({}, 'image');
    const broken = await world.addPaper({ pluginConfigUrl: 'https://notes.example/config.json', pluginManifest: {} });
    for (const id of [image, broken]) {
      const answer = await world.call('GET', `/papers/${id}/content`, { as });
      assert.equal([answer.status, answer.code], [400, 'invalid-integration-configuration']);
    }
  });
});

test.run();
