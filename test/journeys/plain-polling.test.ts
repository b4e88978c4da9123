/** Frames that poll one address, end to end: made over HTTP, pushed to, and drawn by the script of docs/plain-polling.md. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlainMade } from '../../api/routes/devices/plain-route.ts';
import { saidNames, toldNames } from '../../firmware-protocol/plain/header-names.ts';
import { callApi } from '../call-api.ts';
import { askPlain } from '../gateway/plain-frame.ts';
import { type Push, postcardMeta, type ServiceWorld, withService } from './world.ts';

const test = suite('plain polling');
const page = resolve(import.meta.dirname, '../../docs/plain-polling.md');
const run = promisify(execFile);

/** Makes a frame and hangs a paper of the integration on it. */
async function hang(world: ServiceWorld, name: string, kind: string): Promise<{ made: PlainMade; push: Push }> {
  const body = { organization: world.organizationId, kind };
  const made = await callApi<PlainMade>(world.person, 'POST', `/devices/plain/${name}`, body);
  const paper = await world.createPaper('plugin', postcardMeta(world.integration));
  await world.showOn(paper, [made.serial]);
  return { made, push: await world.connect(paper) };
}

test('the script of the documents draws what is pushed, once, reports it, and the push is synced', () =>
  withService(async (world) => {
    const { made, push } = await hang(world, 'kitchen', 'mono-800x480');
    assert.is(made.address, `${world.http}/plain/plain-kitchen`);
    const state = join(world.dataFolder, 'script');
    await mkdir(state);
    const [, script = ''] = /^```shell\n([\s\S]*?)^```/m.exec(await readFile(page, 'utf8')) ?? [];
    await writeFile(join(state, 'frame.sh'), script);
    await writeFile(join(state, 'header'), `${made.header}\n`);
    await writeFile(join(state, 'draw.sh'), '[ ! -e broken ] || exit 1\ncp "$1" glass.png\necho drawn >> log\n');
    const wake = async (more: Record<string, string> = {}): Promise<string> => {
      const env = {
        PATH: process.env.PATH ?? '',
        PAPERGATE_FRAME: made.address,
        PAPERGATE_HEADER: join(state, 'header'),
        PAPERGATE_DRAW: 'sh draw.sh',
        PAPERGATE_STATE: state,
        ...more,
      };
      return (await run('sh', [join(state, 'frame.sh')], { env })).stdout.trim();
    };
    const drawn = async (): Promise<number> => (await readFile(join(state, 'log'), 'utf8')).split('drawn').length - 1;
    assert.ok(
      ['90', '300'].includes(await wake()),
      'a quiet sheet, and soon again: sooner while its picture is being made',
    );
    await push.submit({ messageId: 'one', text: 'One' });
    await push.reach('prepared', 'one');
    assert.is(await wake(), '3600');
    const glass = await sharp(join(state, 'glass.png')).metadata();
    assert.equal([glass.format, glass.width, glass.height], ['png', 800, 480]);
    await push.reach('synced', 'one');
    const { deliveries } = await push.status();
    assert.equal([deliveries[0]?.frameName, deliveries[0]?.evidence?.level], [made.serial, 'reported shown']);
    const times = await drawn();
    assert.is(await wake(), '3600');
    assert.is(await drawn(), times, '304: nothing is drawn again');

    await push.submit({ messageId: 'two', text: 'Two' });
    await push.reach('prepared', 'two');
    await writeFile(join(state, 'broken'), '');
    await wake();
    assert.is((await push.status()).deliveries[0]?.state, 'prepared', 'what was not drawn is not synced');
    await run('rm', [join(state, 'broken')]);
    await wake();
    await push.reach('synced', 'two');
    assert.is(await wake({ PAPERGATE_FRAME: 'http://127.0.0.1:9/plain/x' }), '300', 'a service that is away');
    assert.is(await drawn(), times + 1);
  }));

test('hokku_epaper with its key as its name gets 960,000 bytes and the sleep, and never counts as showing them', () =>
  withService(async (world) => {
    const { made, push } = await hang(world, 'hall', 'hokku13');
    await push.submit({ messageId: 'one', text: 'One' });
    await push.reach('prepared', 'one');
    const headers = { 'x-screen-name': made.key, 'x-frame-state': '{"fw":"3.0","bat_mv":3912,"rssi":-55}' };
    for (let wake = 0; wake < 2; wake++) {
      const got = await askPlain(made.address, { headers });
      assert.equal([got.status, got.body.length, got.headers['x-sleep-seconds']], [200, 960_000, '3600']);
      assert.ok(Number(got.headers['x-server-time-epoch']) > 1_600_000_000);
    }
    const row = await world.context.db('frames').where({ serial: made.serial }).first();
    assert.equal([row.firmware, row.battery_mv, row.rssi], ['3.0', 3912, -55]);
    const { deliveries } = await push.status();
    assert.equal([deliveries[0]?.state, deliveries[0]?.evidence?.level], ['prepared', 'fetched']);
  }));

test('every name of the tables is in the documents', async () => {
  const text = (await readFile(page, 'utf8')).toLowerCase();
  const names = [...saidNames.map(({ header }) => header), ...Object.values(toldNames)];
  for (const name of names) assert.ok(text.includes(`\`${name}`), name);
  for (const { field } of saidNames) assert.ok(field === undefined || text.includes(`\`${field}\``), field);
});

test.run();
