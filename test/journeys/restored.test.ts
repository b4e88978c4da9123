/** A backup that is restored beneath frames which saw newer pictures since: they come back to what the service knows, and go on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlainMade } from '../../api/routes/devices/plain-route.ts';
import { startIntegration } from '../../cli/demo/integration.ts';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { runCommand } from '../child-processes.ts';
import { papergate } from '../cli/papergate.ts';
import { freePort } from '../documents/documented-shell.ts';
import { askPlain } from '../gateway/plain-frame.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { connectIntegration, environmentOf, eventually, postcardMeta, pushOver, withFolder } from './world.ts';

const test = suite('restored');
const serials = { native: 'epd7-0000000000b1', classic: 'epd7-0000000000b2' } as const;
const [polledAddress, polledSerial] = ['02:AA:BB:CC:DD:01', 'trmnl-02aabbccdd01'];
/** The sleep of the frame that polls as TRMNL's do: it is judged by the time, so that it sleeps in earnest. */
const polledSleepSeconds = 60;
/** Two of its wakes: the first takes a picture, and the second proves it. */
const twoWakesMs = 2.5 * polledSleepSeconds * 1000;

async function start(env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [papergateCommand, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    ready: JSON.parse(line) as Record<'http' | 'mqtt' | 'mqtts', string>,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const picture = async (background: string): Promise<string> =>
  (
    await sharp({ create: { width: 80, height: 48, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64');

/** A frame that polls one address, as its script does: it draws what it is sent, reports it, and asks again soon. */
function pollPlainly({ address, header }: PlainMade): { readonly glass: () => string; stop(): Promise<void> } {
  let glass = '';
  let tag: string | undefined;
  let isOver = false;
  const [name = '', value = ''] = header.split(': ');
  const poll = async (): Promise<void> => {
    while (!isOver) {
      await pollOnce().catch(() => undefined);
      await pause(200);
    }
  };
  const pollOnce = async (): Promise<void> => {
    const headers = { [name]: value };
    const got = await askPlain(address, { headers: { ...headers, 'if-none-match': tag } });
    if (got.status !== 200) return;
    const body = JSON.stringify({ etag: got.headers.etag });
    const { status } = await askPlain(`${address}/report`, { method: 'POST', headers, body });
    if (status !== 200) return;
    tag = got.headers.etag;
    glass = got.body.toString('hex');
  };
  const polling = poll();
  return {
    glass: () => glass,
    async stop() {
      isOver = true;
      await polling;
    },
  };
}

longTest(test)(
  'frames that show newer versions than a restored service knows come back to its picture, and take the next',
  () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      const ports = [await freePort(), await freePort(), await freePort()].map(String);
      const env = {
        ...environmentOf(data, { file: join(data, 'papergate.sqlite') }),
        PAPERGATE_LOG_LEVEL: 'silent',
        PAPERGATE_HTTP_PORT: ports[0] ?? '',
        PAPERGATE_MQTT_PORT: ports[1] ?? '',
        PAPERGATE_MQTTS_PORT: ports[2] ?? '',
      };
      let service = await start(env);
      const integration = await startIntegration();
      const made = await runCommand<{ organizationId: string; apiKey: string }>(
        env,
        ...['setup', '--organization', 'Home', '--email', 'a@example.org', '--name', 'A'],
      );
      const out = join(folder, 'frames');
      const frames = [];
      for (const [dialect, serial] of Object.entries(serials)) {
        await runCommand(env, 'frames', 'provision', serial, '--organization', made.organizationId, '--out', out);
        const read = (name: string) => readFile(join(out, name), 'utf8');
        const credentials = {
          key: await read(`${serial}.key`),
          cert: await read(`${serial}.crt`),
          ca: await read('ca.crt'),
        };
        frames.push({
          serial,
          dialect: dialect as 'native' | 'classic',
          credentials: { kind: 'certificate', ...credentials } as const,
        });
      }
      const person = { url: service.ready.http, apiKey: made.apiKey };
      const organization = made.organizationId;
      const plainMade = await callApi<PlainMade>(person, 'POST', '/devices/plain/kitchen', {
        organization,
        kind: 'mono-800x480',
      });
      const adopted = await papergate(
        { ...env, PAPERGATE_URL: service.ready.http, PAPERGATE_API_KEY: made.apiKey },
        ...['frames', 'adopt', polledAddress, '--kind', 'trmnl4'],
      );
      assert.is(adopted.code, 0, adopted.stderr);
      const rows = new Sqlite(join(data, 'papergate.sqlite'));
      rows.prepare('update frames set sleep_seconds = ? where serial = ?').run(polledSleepSeconds, polledSerial);
      rows.close();
      const devices = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
      const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
        deviceId: devices[0]?.id,
        organization: made.organizationId,
        kind: 'plugin',
        meta: { orientation: 'landscape', ...postcardMeta(integration) },
      });
      for (const { id } of devices) await callApi(person, 'POST', `/devices/${id}`, { paper: paper.id });
      const glasses = join(folder, 'glasses');
      const common = { picturePrefix: service.ready.http, panelsDir: glasses, seed: 'restored', clock: systemClock };
      const trace = (): void => {};
      const fleet = await startFleet({ ...common, frames, mqttUrl: service.ready, speed: 7200, trace });
      let poller: Awaited<ReturnType<typeof startFleet>> | undefined;
      const plain = pollPlainly(plainMade);
      try {
        const push = await connectIntegration(person, integration, paper.id);
        const atOnce = [...Object.values(serials), plainMade.serial];
        const pngOf = (serial: string) => readFile(join(glasses, `${serial}.png`), 'hex').catch(() => '');
        const polledGlass = (): string => {
          const glass = poller?.frames.get(polledSerial)?.state.glass;
          return glass?.shows === 'picture' ? glass.sha256 : '';
        };
        const onGlass = async (): Promise<string[]> => [
          ...(await Promise.all(Object.values(serials).map(pngOf))),
          plain.glass(),
          polledGlass(),
        ];
        /** Pushes a picture, waits for the proof of the frames that give it soon, and returns what then is on the glass. */
        const show = async (name: string, color: string, until = 'after a poll'): Promise<string[]> => {
          const before = polledGlass();
          await pushOver(service.ready.http, push).submit({ messageId: name, imageBase64: await picture(color) });
          await pushOver(service.ready.http, push).reach('synced', name, atOnce);
          if (until !== 'at once') {
            await eventually(`${name} is drawn after a poll`, async () => polledGlass() !== before, twoWakesMs);
          }
          return onGlass();
        };
        await show('one', 'red', 'at once');
        poller = await startFleet({
          ...common,
          frames: [{ serial: polledSerial, dialect: 'trmnl', version: '1.8.15', kind: 'trmnl4' }],
          mqttUrl: service.ready,
          polledUrl: `${service.ready.http}/trmnl`,
          speed: 1,
          trace,
        });
        await eventually('the first poll is drawn', async () => polledGlass() !== '', twoWakesMs);
        const one = await onGlass();
        const backup = join(folder, 'b.tar');
        const created = await papergate(env, 'backup', 'create', '--out', backup);
        assert.is(created.code, 0, created.stderr);
        await pushOver(service.ready.http, push).submit({ messageId: 'two', imageBase64: await picture('yellow') });
        const three = await show('three', 'black');
        assert.ok(three.every((glass, at) => glass !== one[at]));

        await service.kill();
        await rename(data, `${data}.before`);
        const restored = await papergate(env, 'backup', 'restore', backup, '--into', data);
        assert.is(restored.code, 0, restored.stderr);
        service = await start(env);
        // At the backup nothing had proven yet that the frame which polls shows it: nothing may until it does.
        await eventually(
          'the glasses show what the restored service knows, and it says so of none before',
          async () => {
            const { deliveries } = await pushOver(service.ready.http, push).status();
            const now = await onGlass();
            const said = deliveries.find(({ frameName }) => frameName === polledSerial)?.state;
            assert.ok(said !== 'synced' || now.at(-1) === one.at(-1), 'the frame that polls is said to show it');
            return said === 'synced' && now.every((glass, at) => glass === one[at]);
          },
          2 * twoWakesMs,
        );
        const four = await show('four', 'blue', 'at once');
        assert.ok(four.slice(0, -1).every((glass, at) => glass !== one[at] && glass !== three[at]));
        const examined = await papergate(
          { ...env, PAPERGATE_URL: service.ready.http, PAPERGATE_API_KEY: made.apiKey },
          'doctor',
          '--deep',
        );
        assert.is(examined.code, 0, examined.stdout + examined.stderr);
      } finally {
        await Promise.all([fleet.stop(), poller?.stop(), plain.stop()]);
        await service.kill();
        await integration.stop();
      }
    }),
);

test.run();
