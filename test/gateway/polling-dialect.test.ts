/** The dialect interface, proven by a third dialect that has nothing to do with MQTT. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { getPicture } from './picture-get.ts';
import { type PollAnswer, pollingDialect } from './polling-dialect.ts';
import { type GatewayWorld, pictureFile, until, withGateway } from './world.ts';

const test = suite('a polled dialect');
const serial = 'epd7-b0c1d2e3f405';
const hourMs = 3_600_000;

const inWorld = (run: (world: GatewayWorld) => Promise<void>) => withGateway(run, { polledDialects: [pollingDialect] });

interface PollingFrame {
  /** Polls, and returns the status and what was answered. */
  poll(more?: Record<string, string>): Promise<{ status: number; said: PollAnswer }>;
  /** Polls, fetches the announced picture, and returns the file. */
  wake(): Promise<Buffer | undefined>;
  version: number;
  became: string | undefined;
}

async function hang(world: GatewayWorld): Promise<PollingFrame> {
  const { password = '' } = await world.provision(serial, { withPassword: true });
  await world.activate(serial);
  const frame: PollingFrame = {
    version: 0,
    became: undefined,
    async poll(more = {}) {
      const response = await fetch(`${world.url}/poll/${serial}`, {
        headers: {
          authorization: `Bearer ${password}`,
          connection: 'close',
          'x-version': `${frame.version}`,
          'x-battery-mv': '4900',
          'x-firmware': '0.1',
          ...(frame.became !== undefined && { 'x-became': frame.became }),
          ...more,
        },
      });
      const text = await response.text();
      frame.became = undefined;
      return { status: response.status, said: (text === '' ? { commands: [] } : JSON.parse(text)) as PollAnswer };
    },
    async wake() {
      const { said } = await frame.poll();
      if (said.picture === undefined) return undefined;
      const got = await getPicture(said.picture.url);
      await world.downloadsSettled();
      frame.version = said.picture.version;
      frame.became = 'shown';
      return got?.body;
    },
  };
  return frame;
}

test('a picture comes as far as at any other frame: offered, announced, fetched, shown, confirmed', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    const upload = await world.offer(serial, 'one');
    assert.is((await world.evidence(upload)).announcedAt, null);
    assert.equal(await frame.wake(), pictureFile('one'));
    assert.ok((await world.evidence(upload)).fetchedAt, 'its only GET is no probe');
    assert.ok((await world.lacks(upload)).includes('shown'));
    assert.is((await frame.poll()).said.picture, undefined);
    assert.equal(await world.lacks(upload), []);
    const { confirmedAt, digestMatches, pictureSynced } = await world.evidence(upload);
    assert.ok(confirmedAt);
    assert.equal([digestMatches, pictureSynced], [undefined, true]);
    assert.equal(
      (await world.events(serial, 'picture')).map(({ payload }) => payload.stage),
      ['offered', 'fetched', 'shown'],
    );
    assert.ok(world.reported.includes(serial));
  });
});

test('what it claims without having fetched proves nothing, and is offered again (W-12)', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    const upload = await world.offer(serial, 'one');
    frame.version = (await frame.poll()).said.picture?.version ?? 0;
    frame.became = 'shown';
    const again = (await frame.poll()).said.picture;
    assert.ok(again !== undefined && again.version > frame.version);
    assert.ok((await world.lacks(upload)).includes('fetched'));
    frame.became = 'failed';
    await frame.poll();
    assert.is((await world.gateway.facts(serial))?.status, 'error');
  });
});

test('it is present while it comes in time, though never connected, and is missed when it does not', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    await frame.poll();
    const facts = await world.gateway.facts(serial);
    assert.equal([facts?.status, facts?.connected, facts?.firmware], ['online', false, '0.1']);
    assert.is((await world.db('frames').first('dialect')).dialect, 'polling');
    world.clock.passes(3 * hourMs);
    assert.is((await world.gateway.facts(serial))?.status, 'offline');
    world.clock.elapses(1);
    await until(async () => (await world.events(serial, 'alert')).length === 1, 'its silence is an outage');
    await frame.poll();
    assert.is((await world.gateway.facts(serial))?.status, 'online');
  });
});

test('a command waits for its next poll, is given once, and is answered by the one after', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    await frame.poll();
    assert.is((await world.gateway.ping(serial, { waitForData: true }))?.state, 'sleeping');
    const asked = await world.gateway.command(serial, { name: 'reboot' });
    assert.is(asked?.state, 'queued');
    const { said } = await frame.poll();
    assert.equal(said.commands, [{ id: asked?.commandId, name: 'reboot' }]);
    assert.equal((await frame.poll({ 'x-done': said.commands[0]?.id ?? '' })).said.commands, []);
    assert.equal(
      (await world.events(serial, 'command')).map(({ payload }) => payload.stage),
      ['queued', 'sent', 'answered'],
    );
  });
});

test('what its frames cannot do is known by its traits alone (W-34)', async () => {
  const traits = { ...pollingDialect.traits, knowsCommands: false };
  await withGateway(
    async (world) => {
      await (await hang(world)).poll();
      assert.is((await world.gateway.command(serial, { name: 'reboot' }))?.state, 'refused');
    },
    { polledDialects: [{ ...pollingDialect, traits }] },
  );
});

test('only the password opens its door, and only so often (T-42)', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    const bad = await frame.poll({ authorization: 'Bearer wrong' });
    assert.is(bad.status, 401);
    assert.is((await frame.poll({ 'x-version': 'x' })).status, 400);
    assert.equal(await world.events(serial, 'hello'), []);
    assert.is((await fetch(`${world.url}/poll/epd7-000000000000`)).status, 401);
    for (let poll = 1; poll < 300; poll++) await frame.poll({ 'x-version': 'x' });
    assert.is((await frame.poll()).status, 429);
    await until(async () => (await world.events(serial, 'alert')).length === 1, 'the alert is recorded');
    world.clock.passes(60_000);
    assert.is((await frame.poll()).status, 200);
  });
});

test('nobody’s frame gets no picture', async () => {
  await inWorld(async (world) => {
    const frame = await hang(world);
    await world.offer(serial, 'one');
    await world.release(serial);
    assert.is(await frame.wake(), undefined);
  });
});

test.run();
