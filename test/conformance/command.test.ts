/** `papergate conformance` as a firmware author runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import type { Fleet } from '../../simulator/fleet/fleet.ts';
import { checkFrame } from '../../testbed/conformance/check-frame.ts';
import type { StepResult } from '../../testbed/conformance/play-stories.ts';
import { papergate } from '../cli/papergate.ts';
import { nativeLine } from '../gateway/native-line.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { playedSerial, startFrame } from './played-frame.ts';

const test = suite('papergate conformance');
/** Runs the command against one simulated frame; the lines it printed, the page it wrote, and how it ended. */
async function run(...behaviours: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
  const report = join(folder, 'report.html');
  const own = ['--serial', playedSerial, '--credentials', folder, '--report', report];
  const options = [...own, '--port', '0', '--http-port', '0', '--json'];
  const child = spawn(process.execPath, [papergateCommand, 'conformance', ...options], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let fleet: Fleet | undefined;
  try {
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line) as Record<string, unknown>;
      lines.push(told);
      if (told.event === 'ready') {
        const where = { mqtts: String(told.mqtts), http: String(told.http) };
        fleet = await startFrame(folder, where, 'native', behaviours);
      }
    }
    return { code: await ended, lines, page: await readFile(report, 'utf8') };
  } finally {
    child.kill('SIGKILL');
    await fleet?.stop();
    await rm(folder, { recursive: true });
  }
}

longTest(test)('a frame that keeps the protocol ends it with 0, and every step was printed', async () => {
  const { code, lines, page } = await run();
  assert.is(code, 0, JSON.stringify(lines.at(-1)));
  assert.is(lines[0]?.event, 'ready');
  assert.is(lines.at(-1)?.event, 'summary');
  assert.ok(lines.filter(({ event }) => event === 'step').length > 30);
  const { clauses } = lines.at(-1) as { clauses: { outcome: string }[] };
  assert.ok(clauses.length > 15 && clauses.every(({ outcome }) => outcome === 'kept'), JSON.stringify(clauses));
  assert.match(page, /Every clause that was tried was kept\./);
});

longTest(test)('a frame that breaks a clause ends it with 1, and the clause is named with its sentence', async () => {
  const { code, lines, page } = await run('half-download');
  assert.is(code, 1);
  assert.equal(lines.at(-1)?.brokenClauses, ['takes-every-byte']);
  assert.ok(JSON.stringify(lines).includes('A download takes every byte'));
  assert.match(page, /1 clause was broken\./);
  assert.match(page, /which broke takes-every-byte/);
  assert.match(page, /papergate conformance --serial epd7-00000000cf01 --dialect native --credentials/);
});

longTest(test)('a board with another panel is judged by the kind that was named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
  const board = ['--serial', 'board-1', '--kind', 'bwr7', '--credentials', folder];
  const child = spawn(
    process.execPath,
    [papergateCommand, 'conformance', ...board, '--port', '0', '--http-port', '0', '--json'],
    {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  let found: unknown;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line);
      if (told.event === 'ready') {
        const ports = { plain: 0, tls: Number(new URL(told.mqtts).port) };
        const [root, certificate, key] = await Promise.all(['ca.crt', 'board-1.crt', 'board-1.key'].map(read));
        const credential = { root: root ?? '', certificate: certificate ?? '', key: key ?? '' };
        const frame = await nativeLine({ ports, downloadsSettled: async () => {} }, 'board-1', credential);
        await frame.hello({ panel: 'bwr7' });
      }
      found = told.clauses?.find(({ clause }: { clause: string }) => clause === 'names-panel');
      if (found !== undefined) break;
    }
    assert.is((found as { kept: boolean }).kept, true);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
});

longTest(test)(
  'a simulated frame in place of hardware keeps every clause, and one with a fault breaks its own',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
    const ports = ['--credentials', folder, '--port', '0', '--http-port', '0', '--json'];
    try {
      for (const [fault, broken] of [
        [[], []],
        [['half-download'], ['takes-every-byte']],
      ]) {
        const { code, stdout } = await papergate({}, 'conformance', '--simulated', ...(fault ?? []), ...ports);
        const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
        assert.equal(summary.brokenClauses, broken);
        assert.ok(summary.kept > 0);
        assert.is(code, broken?.length === 0 ? 0 : 1);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test('a simulated frame with a fault, a panel, a serial or a server that do not go with it is refused at once', async () => {
  for (const [words, why] of [
    [['--simulated', 'liar,half'], /--simulated half is not a behaviour of such a frame\n.*half-download/],
    [['--simulated', '--kind', 'bwr7'], /has the panel of its serial/],
    [['--simulated', '--serial', 'board-1'], /begin it with epd7- or epd13-/],
    [['--simulated', '--server', 'http://127.0.0.1:1/trmnl'], /leave --simulated out/],
  ] as const) {
    const { code, stderr } = await papergate({}, 'conformance', ...words);
    assert.is(code, 2);
    assert.match(stderr, why);
  }
});

test('a frame that waits for its owner keeps the command alive until it is given a key', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end(
      JSON.stringify({ status: 404, api_key: null, friendly_id: null, image_url: null, message: 'not yet' }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stdout } = await papergate({}, 'conformance', '--server', url, '--wait', '3');
    assert.is(code, 1);
    assert.match(stdout, /waits for its owner to adopt it/);
    assert.match(stdout, /The frame was given no key/);
    // The stranger asked once, and the frame again and again.
    assert.ok(asked >= 3, String(asked));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a serial without a panel, an unknown dialect and an invalid port are reported at once', async () => {
  const folder = join(tmpdir(), 'papergate-conformance-never-made');
  const asked = async (...more: string[]) =>
    (await papergate({}, 'conformance', '--credentials', folder, ...more)).code;
  assert.is(await asked('--serial', 'toaster-1'), 2);
  assert.is(await asked('--serial', 'no serial'), 2);
  assert.is(await asked('--serial', playedSerial, '--kind', 'klingon'), 2);
  assert.is(await asked('--serial', playedSerial, '--dialect', 'latin'), 2);
  assert.is(await asked('--serial', playedSerial, '--port', '70000'), 2);
});

longTest(test)(
  'without a frame every story is skipped with the reason, and a second run takes the credentials of the first',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
    const results: StepResult[] = [];
    const check = async () => {
      const summary = await checkFrame({
        clock: systemClock,
        random: systemRandom(systemClock),
        logger: silentLogger,
        serial: playedSerial,
        panel: epd7,
        dialect: 'native',
        folder,
        host: '127.0.0.1',
        port: 0,
        httpPort: 0,
        patience: { wakeMs: 50, stepMs: 50 },
        ready: () => undefined,
        tell: (result) => void results.push(result),
      });
      assert.is(summary.kept + summary.broken, 0);
      return readFile(join(folder, `${playedSerial}.crt`), 'utf8');
    };
    try {
      assert.is(await check(), await check());
      assert.ok(results.length > 0 && results.every(({ outcome }) => outcome === 'skipped'));
      assert.match(results[0]?.detail ?? '', /did not wake within 0.05 s/);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test.run();
