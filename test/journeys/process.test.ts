import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../api/service/settings/settings.ts';
import { startIntegration } from '../../cli/demo/integration.ts';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { runCommand } from '../child-processes.ts';
import { everyRow, everythingStored } from '../database.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { connectIntegration, environmentOf, eventually, postcardMeta, pushOver, withFolder } from './world.ts';

const test = suite('process');

interface Serving {
  readonly ready: Record<'event' | 'http' | 'mqtt' | 'mqtts' | 'console', string>;
  readonly child: ChildProcess;
  /** Sends a signal and resolves with the exit code and signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

function start(env: Record<string, string>): Promise<Serving> {
  const child = spawn(process.execPath, [papergateCommand, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  child.stderr.on('data', (chunk) => {
    words += chunk;
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return new Promise((resolve, reject) => {
    ended.then(({ code }) => reject(new Error(`ended with ${code}: ${words.slice(-800)}`)));
    createInterface({ input: child.stdout }).once('line', (line) => {
      const end = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ended;
      };
      resolve({ ready: JSON.parse(line), child, end });
    });
  });
}

test('serve prints the ready line, setup works alongside it, and SIGTERM ends it cleanly', async () => {
  await withFolder(async (folder, rows) => {
    const env = environmentOf(folder, rows);
    const serving = await start(env);
    const { ready } = serving;
    assert.equal(Object.keys(ready), ['event', 'http', 'mqtt', 'mqtts', 'console']);
    assert.is(ready.event, 'ready');
    for (const [name, scheme] of [
      ['http', 'http:'],
      ['mqtt', 'mqtt:'],
      ['mqtts', 'mqtts:'],
      ['console', 'http:'],
    ] as const) {
      assert.is(new URL(ready[name]).protocol, scheme);
    }
    const made = await runCommand<Record<string, string>>(
      env,
      ...['setup', '--organization', 'Home', '--email', 'a@example.org', '--name', 'A'],
    );
    assert.equal(Object.keys(made).sort(), ['accessToken', 'apiKey', 'console', 'organizationId', 'userId']);
    assert.match(made.apiKey ?? '', /^[0-9a-f]{64}$/);
    const token = await runCommand<{ accessToken: string }>(env, 'token', 'issue', '--user', made.userId ?? '');
    const key = await runCommand<{ apiKey: string }>(env, 'keys', 'create', '--user', made.userId ?? '');
    for (const credentials of [{ apiKey: made.apiKey }, { bearer: token.accessToken }, { apiKey: key.apiKey }]) {
      const organizations = await callApi<{ id: string }[]>(
        { url: ready.http, ...(credentials as { apiKey: string }) },
        'GET',
        '/organizations/',
      );
      assert.equal(
        organizations.map(({ id }) => id),
        [made.organizationId],
      );
    }
    for (const kind of ['api', 'gateway', 'mqtt', 'database', 'rendering', 'callbacks', 'epaper']) {
      const said = await callApi<{ status: string }>({ url: ready.http }, 'GET', `/iotdevice/status/${kind}`);
      assert.is(said.status, 'ok', kind);
    }
    const page = await fetch(ready.console);
    assert.is(page.status, 200);
    assert.equal(await serving.end('SIGTERM'), { code: 0, signal: null });
  });
});

longTest(test)('what would break frames or guess at a setting is refused at the start, in a sentence', async () => {
  await withFolder(async (folder, rows) => {
    const longUrl = {
      ...environmentOf(folder, rows),
      PAPERGATE_FRAME_URL: 'https://a-very-long-name.of-a-server.example.org',
    };
    await start(longUrl).then(
      () => assert.unreachable('W-04: it started'),
      (error: Error) => assert.match(error.message, /ended with 1: .*49.*PAPERGATE_FRAME_URL/s),
    );
    await start({ ...environmentOf(folder, rows), PAPERGATE_MQTTS_PORT: 'often' }).then(
      () => assert.unreachable('it started'),
      (error: Error) => assert.match(error.message, /ended with 1: PAPERGATE_MQTTS_PORT/),
    );
  });
});

test('what is not supported, or too weak, is refused rather than ignored', () => {
  const said = (env: Record<string, string>) => {
    try {
      readSettings(env);
      return 'accepted';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  assert.is(said({ REDIS_URL: '' }), 'accepted', 'an empty variable counts as absent');
  assert.match(
    said({ REDIS_URL: 'redis://127.0.0.1' }),
    /^REDIS_URL: nodes tell each other what happens through PostgreSQL/,
  );
  const node = {
    PAPERGATE_NODE_NAME: 'a',
    DATABASE_URL: 'postgres://localhost/papergate',
    PAPERGATE_SECRET_KEY: 's'.repeat(32),
  };
  assert.is(said({ ...node, PAPERGATE_PUBLIC_URL: 'https://paper.example' }), 'accepted');
  for (const missing of ['DATABASE_URL', 'PAPERGATE_SECRET_KEY', 'PAPERGATE_PUBLIC_URL'] as const) {
    const given = { ...node, PAPERGATE_PUBLIC_URL: 'https://paper.example', [missing]: '' };
    assert.ok(said(given).startsWith(`${missing}: PAPERGATE_NODE_NAME makes this one of several nodes: `), said(given));
  }
  assert.match(said({ ...node, PAPERGATE_NODE_NAME: 'a node' }), /PAPERGATE_NODE_NAME: letters, digits/);
  assert.match(said({ DATABASE_DIRECT_URL: node.DATABASE_URL }), /^DATABASE_DIRECT_URL: is the same database/);
  assert.match(
    said({ DATABASE_URL: 'postgres://me:word@one,other/papergate' }),
    /^DATABASE_URL: names several servers/,
  );
  assert.is(said({ DATABASE_URL: 'postgres://me:a,b@one/papergate?host=/run,here' }), 'accepted');
  for (const [variable, usable, unusable] of [
    ['PAPERGATE_DATABASE_POOL', ['4', '200'], ['3', '201', '-1', '1e2', 'many']],
    ['PAPERGATE_DATABASE_WAIT_SECONDS', ['1', '60'], ['0', '61', '1.5']],
    ['PAPERGATE_DATABASE_STATEMENT_SECONDS', ['1', '3600'], ['0', '3601', '30s']],
    ['PAPERGATE_DATABASE_LOCK_SECONDS', ['1', '3600'], ['0', '3601', 'none']],
    ['PAPERGATE_DATABASE_IDLE_SECONDS', ['2', '3600'], ['1', '3601', ' 5']],
  ] as const) {
    for (const given of usable) assert.is(said({ [variable]: given }), 'accepted', given);
    for (const given of unusable) assert.ok(said({ [variable]: given }).startsWith(`${variable}: `), given);
  }
  assert.match(said({ PAPERGATE_METRICS_TOKEN: 'm'.repeat(42) }), /^PAPERGATE_METRICS_TOKEN: at least 43/);
  assert.is(said({ PAPERGATE_METRICS_TOKEN: 'm'.repeat(43) }), 'accepted');
  for (const variable of ['PAPERGATE_PUBLIC_URL', 'PAPERGATE_FRAME_URL']) {
    for (const usable of ['http://127.0.0.1:3000', 'https://frames.example.org/', 'https://[2001:db8::9]/below/it']) {
      assert.is(said({ [variable]: usable }), 'accepted', usable);
    }
    for (const [surplus, named] of [
      ['http://127.0.0.1:3000/?q', 'everything from ? on'],
      ['http://127.0.0.1:3000?', 'everything from ? on'],
      ['http://127.0.0.1:3000/#?', 'everything from # on'],
      ['http://ada:hunter2@127.0.0.1:3000', 'user and password'],
      ['nonsense', 'Invalid URL'],
    ] as const) {
      const because = named === 'Invalid URL' ? named : `paths are appended to it: leave out ${named}`;
      assert.is(said({ [variable]: surplus }), `${variable}: ${because}`);
    }
  }
});

longTest(test)('INV-01: content accepted right before kill -9 is on the glass after the restart', async () => {
  await withFolder(async (folder, rows) => {
    const env = environmentOf(join(folder, 'data'), rows);
    const first = await start(env);
    const made = await runCommand<{ organizationId: string; apiKey: string }>(
      env,
      ...['setup', '--organization', 'Home', '--email', 'a@example.org', '--name', 'A'],
    );
    const serial = 'epd7-00000000dead';
    const out = join(folder, 'frames');
    await runCommand(env, 'frames', 'provision', serial, '--organization', made.organizationId, '--out', out);
    const integration = await startIntegration();
    const person = { url: first.ready.http, apiKey: made.apiKey };
    const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
    const ofDevice = { deviceId: device?.id, organization: made.organizationId };
    // The device shows another paper until the restart: what the killed process had begun would wait for its lease.
    await callApi(person, 'POST', '/papers/', { ...ofDevice, kind: 'image' });
    const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
      ...ofDevice,
      kind: 'plugin',
      meta: { orientation: 'landscape', ...postcardMeta(integration) },
    });
    const before = await connectIntegration(person, integration, paper.id);
    const { requestId, state } = await before.submit({ messageId: 'kept', text: 'Survives' });
    const killed = await first.end('SIGKILL');
    assert.is(state, 'accepted');
    assert.is(killed.signal, 'SIGKILL');

    const second = await start(env);
    const read = (name: string) => readFile(join(out, name), 'utf8');
    const [key, cert, ca] = [await read(`${serial}.key`), await read(`${serial}.crt`), await read('ca.crt')];
    const fleet = await startFleet({
      frames: [{ serial, dialect: 'classic', credentials: { kind: 'certificate', key, cert, ca } }],
      mqttUrl: second.ready,
      picturePrefix: second.ready.http,
      speed: 7200,
      seed: 'kill',
      clock: systemClock,
      trace: () => {},
    });
    const after = pushOver(second.ready.http, before);
    const again = await after.submit({ messageId: 'kept', text: 'Survives' });
    assert.is(again.requestId, requestId, 'C1: the identical retry names the same request');
    await callApi({ ...person, url: second.ready.http }, 'POST', `/devices/${device?.id}`, { paper: paper.id });
    await after.reach('synced', 'kept', [serial]);
    const told = () => [...integration.callbacks.values()].filter(({ body }) => body.requestId === requestId);
    // What the killed process was just sending is sent again when its lease is over.
    await eventually('its callbacks arrive', async () => told().length === 3, 90_000);
    assert.equal(
      told()
        .map(({ body }) => body.state)
        .sort(),
      ['available', 'prepared', 'synced'],
    );
    await fleet.stop();
    assert.equal(await second.end('SIGTERM'), { code: 0, signal: null });
    await integration.stop();
  });
});

longTest(test)(
  'T-13: key files of the data folder are for their owner alone, and no secret is in the log or the database',
  async () => {
    await withFolder(async (folder, rows) => {
      const env = { ...environmentOf(folder, rows), PAPERGATE_LOG_LEVEL: 'debug' };
      const serving = await start(env);
      let log = '';
      serving.child.stderr?.on('data', (chunk) => {
        log += chunk;
      });
      const made = await runCommand<{ organizationId: string; apiKey: string; accessToken: string }>(
        env,
        ...['setup', '--organization', 'Home', '--email', 'a@example.org', '--name', 'A'],
      );
      const integration = await startIntegration();
      const person = { url: serving.ready.http, apiKey: made.apiKey };
      const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
        deviceId: (await callApi<{ id: string }>(person, 'POST', '/devices/', { organization: made.organizationId }))
          .id,
        kind: 'plugin',
        organization: made.organizationId,
        meta: postcardMeta(integration),
      });
      const push = await connectIntegration(person, integration, paper.id);
      await push.submit({ messageId: 'one', text: 'words' });
      await eventually('the callback came', async () => integration.callbacks.size > 0);
      await serving.end('SIGTERM');
      await integration.stop();
      const stored = await everythingStored(rows);
      for (const secret of [made.apiKey, made.accessToken, push.token]) {
        assert.not.ok(log.includes(secret), 'not in the log');
        assert.not.ok(stored.includes(secret), 'not in the database');
      }
      assert.ok(log.length > 500 && stored.includes(paper.id), 'there was something to search');
    });
  },
);

longTest(test)('T-52: plain MQTT is answered on loopback only', async () => {
  await withFolder(async (folder, rows) => {
    const serving = await start({
      ...environmentOf(folder, rows),
      PAPERGATE_MQTT_HOST: '0.0.0.0',
      PAPERGATE_HTTP_HOST: '127.0.0.1',
    });
    const plain = new URL(serving.ready.mqtt);
    // 127.0.0.2 is loopback too, but not the address that is listened on: a wildcard listener would answer there.
    const refused = await new Promise<string>((resolve) => {
      const socket = connectPlain({ host: '127.0.0.2', port: Number(plain.port) });
      socket.once('connect', () => resolve('connected')).once('error', (error) => resolve(error.message));
    });
    assert.match(refused, /ECONNREFUSED/);
    await serving.end('SIGTERM');
  });
});

longTest(test)(
  'a simulated frame shows what is sent to it, also after the service was killed, and goes without a trace',
  async () => {
    await withFolder(async (folder, rows) => {
      const env = environmentOf(folder, rows);
      let serving = await start(env);
      const { organizationId: organization, apiKey } = await runCommand<{ organizationId: string; apiKey: string }>(
        env,
        ...['setup', '--organization', 'Home', '--email', 'a@example.org', '--name', 'A'],
      );
      let person = { url: serving.ready.http, apiKey };
      const frames: string[] = [];
      for (const kind of ['epd7', 'trmnl4']) {
        const body = { organization, kind, name: kind };
        const made = await callApi<{ id: string; simulated: boolean }>(person, 'POST', '/devices/simulated', body);
        assert.is(made.simulated, true);
        frames.push(made.id);
      }
      interface Row {
        readonly simulated: boolean;
        readonly due: object | null;
        readonly trouble: object | null;
        readonly glass: { readonly level: string; readonly uploadId: string } | null;
      }
      const show = async (text: string, before: readonly string[]): Promise<string[]> => {
        const meta = { orientation: 'landscape', text };
        const body = { deviceId: frames[0], kind: 'text', organization, meta };
        const { id: paper } = await callApi<{ id: string }>(person, 'POST', '/papers/', body);
        for (const id of frames) await callApi(person, 'POST', `/devices/${id}`, { paper });
        const look = async (): Promise<string[] | undefined> => {
          for (const id of frames) await callApi(person, 'POST', `/devices/simulated/${id}/button`);
          await pause(2_000);
          const seen = await callApi<Row[]>(person, 'GET', `/devices/overview?ids=${frames.join()}`);
          const uploads = seen.flatMap(({ glass, due, simulated, trouble }) =>
            simulated && trouble === null && due === null && glass?.level === 'confirmed' ? [glass.uploadId] : [],
          );
          return uploads.length === frames.length && !uploads.some((id) => before.includes(id)) ? uploads : undefined;
        };
        return eventually(`${text} on both`, look, 180_000);
      };
      const first = await show('Good morning', []);
      await serving.end('SIGKILL');
      serving = await start(env);
      person = { ...person, url: serving.ready.http };
      await show('Good evening', first);
      for (const id of frames) await callApi(person, 'DELETE', `/devices/${id}`);
      await eventually('its rows are gone', async () => {
        await pause(1_000);
        return !/simulated-[0-9a-f]{12}|trmnl-02[0-9a-f]{10}/.test(await everyRow(rows));
      });
      assert.equal(await serving.end('SIGTERM'), { code: 0, signal: null });
    });
  },
);

test.run();
