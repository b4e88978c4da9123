/** The backup, its check and the restore of docs/backup.md, played as they stand there, beside a service that is pushed to. */
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate } from '../cli/papergate.ts';
import { documentedPage, freePort, openShell, playedCheckout } from '../documents/documented-shell.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, eventually, withFolder } from './world.ts';

const test = suite('documented backup');
const [backup = '', restore = ''] = documentedPage('docs/backup.md').blocks('sh', 'Backup');

/** A house of operators: a checkout with a data folder, where the page's commands are typed. */
async function withOperator(
  run: (house: {
    readonly folder: string;
    readonly env: Record<string, string>;
    readonly url: string;
    /** Starts the service, and waits until it answers. */
    serve(): Promise<{ kill(): Promise<void> }>;
    /** Types a block in a shell of its own; undefined when a command of it failed. */
    type(block: string): Promise<string | undefined>;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const data = join(folder, 'data');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const plain = environmentOf(data, { file: join(data, 'papergate.sqlite') });
    await playedCheckout(folder);
    const env = { ...plain, PAPERGATE_HTTP_PORT: String(port), PAPERGATE_URL: url };
    const open: { kill(): void }[] = [];
    const shell = () => {
      const opened = openShell(folder, env);
      open.push(opened);
      return opened;
    };
    try {
      await run({
        folder,
        env,
        url,
        async serve() {
          const terminal = shell();
          terminal.start('./papergate serve');
          await eventually('the service answers', async () => {
            const answer = await fetch(`${url}/iotdevice/status/api`).catch(() => undefined);
            return answer?.ok;
          });
          return {
            async kill() {
              terminal.kill();
              await terminal.end();
            },
          };
        },
        async type(block) {
          const terminal = shell();
          return terminal.run(block).catch(() => undefined);
        },
      });
    } finally {
      for (const { kill } of open) kill();
    }
  });
}

longTest(test)(
  'a backup of a running service is whole, passes its check, and goes on where it was after a restore',
  () =>
    withOperator(async ({ folder, env, url, serve, type }) => {
      const service = await serve();
      const json = async (...args: string[]) => {
        const { code, stdout, stderr } = await papergate({ ...env, ...key }, ...args, '--json');
        assert.is(code, 0, stderr);
        return JSON.parse(stdout);
      };
      let key = {};
      const { organizationId, apiKey } = await json(
        ...['setup', '--organization', 'Home', '--email', 'you@example.org', '--name', 'You'],
      );
      key = { PAPERGATE_API_KEY: apiKey };
      const headers = { 'x-api-key': apiKey };
      const frame = ['epd7-0000000000aa', '--organization', organizationId, '--out', join(folder, 'frame')];
      await json('frames', 'provision', ...frame);
      const photo = join(folder, 'photo.png');
      await sharp({ create: { width: 40, height: 24, channels: 3, background: 'teal' } }).toFile(photo);
      const devices = await (await fetch(`${url}/devices/`, { headers })).json();
      const create = () =>
        json('papers', 'create', '--device', devices[0].id, '--organization', organizationId, '--kind', 'image');
      const kept = await create();
      await json('papers', 'push', kept.id, photo);
      const picture = async () => {
        const { signedUrl } = await (await fetch(`${url}/papers/${kept.id}?kind=original.png`, { headers })).json();
        return Buffer.from(await (await fetch(signedUrl)).arrayBuffer()).toString('hex');
      };
      const pushed = await picture();

      let isOver = false;
      let pushes = 0;
      const pushing = (async () => {
        for (; !isOver; pushes++) await json('papers', 'push', (await create()).id, photo);
      })();
      const said = await type(backup);
      isOver = true;
      await pushing;
      assert.ok(pushes > 0, 'it was pushed to meanwhile');
      assert.match(said ?? '', /organizations +1\n[\s\S]*frames +1\n/);
      const later = await create();
      await service.kill(); // what it wrote last is in SQLite's own files
      assert.ok(readdirSync(join(folder, 'data')).includes('papergate.sqlite-wal'));
      assert.ok(!existsSync(join(folder, 'data.before')));
      assert.is(await type('./papergate backup restore backup.tar --into data'), undefined, 'the folder is used');
      assert.not.equal(await type(restore), undefined);
      for (const name of ['papergate.sqlite-wal', 'serve.lock', 'endpoints.json', 'bodies']) {
        assert.not(existsSync(join(folder, 'data', name)), name);
      }

      const restored = await serve();
      const status = async (id: string) => (await fetch(`${url}/papers/${id}`, { headers })).status;
      assert.equal([await status(kept.id), await status(later.id)], [200, 404]);
      assert.is(await picture(), pushed);
      const root = (data: string) => readFileSync(join(folder, data, 'authority/ca.crt'), 'utf8');
      assert.is(root('data'), root('data.before'));
      const examined = await papergate({ ...env, ...key }, 'doctor', '--deep', '--files');
      assert.is(examined.code, 0, examined.stdout + examined.stderr);
      await restored.kill();
    }),
);

longTest(test)(
  'the documented check and restore refuse a backup that is cut short, and the data folder stays where it was put',
  () =>
    withOperator(async ({ folder, serve, type }) => {
      await (await serve()).kill();
      assert.not.equal(await type(backup), undefined);
      const file = join(folder, 'backup.tar');
      truncateSync(file, statSync(file).size - 2_000);
      assert.is(await type('./papergate backup check backup.tar'), undefined);
      assert.is(await type(restore), undefined);
      assert.not(existsSync(join(folder, 'data')));
      assert.ok(existsSync(join(folder, 'data.before', 'papergate.sqlite')));
    }),
);

test.run();
