/** A backup that is restored beneath frames which saw newer pictures since: they come back to what the service knows, and go on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../../cli/client.ts';
import { runCommand } from '../../cli/demo/children.ts';
import { startIntegration } from '../../cli/demo/integration.ts';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet } from '../../simulator/fleet.ts';
import { papergate } from '../cli/papergate.ts';
import { freePort } from '../documents/documented-shell.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { connectIntegration, environmentOf, eventually, postcardMeta, pushOver, withFolder } from './world.ts';

const test = suite('restored');
const serials = { native: 'epd7-0000000000b1', classic: 'epd7-0000000000b2' } as const;

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
      const devices = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
      const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
        deviceId: devices[0]?.id,
        organization: made.organizationId,
        kind: 'plugin',
        meta: { orientation: 'landscape', ...postcardMeta(integration) },
      });
      for (const { id } of devices) await callApi(person, 'POST', `/devices/${id}`, { paper: paper.id });
      const glasses = join(folder, 'glasses');
      const fleet = await startFleet({
        frames,
        mqttUrl: service.ready,
        picturePrefix: service.ready.http,
        panelsDir: glasses,
        speed: 7200,
        seed: 'restored',
        clock: systemClock,
        trace: () => {},
      });
      try {
        const push = await connectIntegration(person, integration, paper.id);
        const all = Object.values(serials);
        const onGlass = () =>
          Promise.all(all.map((serial) => readFile(join(glasses, `${serial}.png`), 'hex').catch(() => '')));
        /** Pushes a picture, waits for the proof, and returns what then is on the glass. */
        const show = async (name: string, color: string): Promise<string[]> => {
          await pushOver(service.ready.http, push).submit({ messageId: name, imageBase64: await picture(color) });
          await pushOver(service.ready.http, push).reach('synced', name, all);
          return onGlass();
        };
        const one = await show('one', 'red');
        const backup = join(folder, 'b.tar');
        const created = await papergate(env, 'backup', 'create', '--out', backup);
        assert.is(created.code, 0, created.stderr);
        await show('two', 'yellow');
        const three = await show('three', 'black');
        assert.not.equal(three, one);

        await service.kill();
        await rename(data, `${data}.before`);
        const restored = await papergate(env, 'backup', 'restore', backup, '--into', data);
        assert.is(restored.code, 0, restored.stderr);
        service = await start(env);
        await eventually(
          'the glasses show what the restored service knows',
          async () => {
            const now = await onGlass();
            return now.every((glass, at) => glass === one[at]);
          },
          60_000,
        );
        const four = await show('four', 'blue');
        assert.ok(four.every((glass, at) => glass !== one[at] && glass !== three[at]));
        const examined = await papergate(
          { ...env, PAPERGATE_URL: service.ready.http, PAPERGATE_API_KEY: made.apiKey },
          'doctor',
          '--deep',
        );
        assert.is(examined.code, 0, examined.stdout + examined.stderr);
      } finally {
        await fleet.stop();
        await service.kill();
        await integration.stop();
      }
    }),
);

test.run();
