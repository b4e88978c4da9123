/** The traces of a start that does not come to its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, eventually, withFolder } from './world.ts';

const test = suite('start and stop');

longTest(test)('a port that is in use ends serve, in a sentence that names its variable', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  try {
    for (const variable of ['PAPERGATE_HTTP_PORT', 'PAPERGATE_MQTT_PORT', 'PAPERGATE_MQTTS_PORT']) {
      await withFolder(async (folder, rows) => {
        const child = spawn(process.execPath, [papergateCommand, 'serve'], {
          env: { ...environmentOf(folder, rows), [variable]: String(port) },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let words = '';
        child.stderr.on('data', (chunk) => {
          words += chunk;
        });
        const [code] = await once(child, 'close');
        assert.is(code, 1);
        assert.match(words, `${variable}: port ${port} is in use\n  end what listens there`);
      });
    }
  } finally {
    squatter.close();
  }
});

longTest(test)(
  'a service that is stopped while it starts opens nothing further, and closes what it had opened',
  async () => {
    await withFolder(async (folder, rows) => {
      const settings = readSettings(environmentOf(folder, rows));
      const context = await openContext(settings);
      const service = await createService(settings, context, silentLogger);
      const problem = service.start().then(() => 'it started', String);
      await service.stop();
      await context.close();
      assert.is(await problem, 'Error: stopped while it was starting');
    });
  },
);

longTest(test)('a service that stops ends its streams of changes at once, and waits for no reader', async () => {
  await withFolder(async (folder, rows) => {
    const settings = readSettings(environmentOf(folder, rows));
    const context = await openContext(settings);
    const service = await createService(settings, context, silentLogger);
    const { http } = await service.start();
    const admin = { name: 'Ada', email: 'ada@example.org' };
    const { userId } = await createOrganization(context.db, context, {
      name: 'Home',
      email: admin.email,
      kind: 'home',
      admin,
    });
    const { raw } = await createKey(context.db, context, { userId, name: 'test' });
    const stream = await fetch(`${http}/changes/stream`, { headers: { 'x-api-key': raw } });
    const reader = stream.body?.getReader();
    assert.match(new TextDecoder().decode((await reader?.read())?.value), /event: ready/);
    const stoppedAt = performance.now();
    await service.stop();
    assert.ok(performance.now() - stoppedAt < 4_000, 'it did not wait until connections are cut');
    while ((await reader?.read())?.done === false);
    await context.close();
  });
});

/** Returns the answers of `/live` and `/ready`, with the status of a route. */
async function readiness(url: string): Promise<string[]> {
  const paths = ['/live', '/ready', '/iotdevice/status/api'];
  const answers = await Promise.all(paths.map((path) => fetch(`${url}${path}`)));
  assert.equal(
    answers.slice(0, 2).map(({ headers }) => headers.get('cache-control')),
    ['no-store', 'no-store'],
  );
  const [live, ready] = await Promise.all(answers.slice(0, 2).map((answer) => answer.json()));
  return [...answers.map(({ status }) => String(status)), JSON.stringify({ ...live, ...ready })];
}

const inProc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');
const childOf = (pid: number): number => Number(inProc(pid, `task/${pid}/children`).trim().split(' ')[0]);

/** Node becomes the other process where it can; elsewhere, and on systems without glibc's variables, there is none. */
const startsAgain = process.platform === 'linux' && !('execve' in process);

longTest(test)(
  'T-81: a service that is started by node has the variables by which memory is given back, and ends with whom it was started by',
  async () => {
    if (!startsAgain) return;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await withFolder(async (folder, rows) => {
        const env = environmentOf(folder, rows);
        const child = spawn(process.execPath, [papergateCommand, 'serve'], {
          env,
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        try {
          await once(createInterface({ input: child.stdout }), 'line');
          const service = childOf(child.pid ?? 0);
          assert.match(inProc(service, 'environ'), /MALLOC_ARENA_MAX=2\0/);
          assert.match(inProc(service, 'environ'), /MALLOC_TRIM_THRESHOLD_=262144\0/);
          child.kill(signal);
          const [code] = await once(child, 'exit');
          assert.is(code, signal === 'SIGTERM' ? 0 : null, 'it ends as the service does');
          await eventually('the service has ended', async () => !existsSync(`/proc/${service}`));
        } finally {
          child.kill('SIGKILL');
        }
      });
    }
  },
);

test('a service that drains says so to balancers, answers its callers until then, and hurries when it is asked again', async () => {
  await withFolder(async (folder, rows) => {
    const env = { ...environmentOf(folder, rows), PAPERGATE_DRAIN_SECONDS: '300' };
    const child = spawn(process.execPath, [papergateCommand, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const lines = createInterface({ input: child.stdout });
      const [ready] = (await once(lines, 'line')) as [string];
      const { http } = JSON.parse(ready) as { http: string };
      assert.equal(await readiness(http), ['200', '200', '200', '{"live":true,"ready":true}']);
      child.kill('SIGTERM');
      const draining = '{"live":true,"ready":false,"reason":"the service is draining"}';
      await eventually('it says that it drains, and answers', async () => {
        return (await readiness(http)).join(' ') === `200 503 200 ${draining}`;
      });
      child.kill('SIGTERM');
      const [code] = await once(child, 'close');
      assert.is(code, 0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

test.run();
