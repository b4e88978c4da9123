/** The backup, its check and the restore of docs/operating.md, played as they stand there. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate, papergateAlone } from '../cli/papergate.ts';
import { documentedPage, freePort, openShell, playedCheckout } from '../documents/documented-shell.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, eventually, withFolder } from './world.ts';

const test = suite('documented operating');
const [backup = '', check = '', restore = ''] = documentedPage('docs/operating.md').blocks('sh', 'Backup');

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
    const env = await playedCheckout(folder, { ...plain, PAPERGATE_HTTP_PORT: String(port), PAPERGATE_URL: url });
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
          terminal.start('npx papergate serve');
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

      assert.is(await type(backup), '');
      const later = await create();
      await service.kill(); // what it wrote last is in SQLite's own files
      assert.ok(readdirSync(join(folder, 'data')).includes('papergate.sqlite-wal'));
      for (const name of ['papergate.sqlite-wal', 'serve.lock', 'endpoints.json', 'bodies']) {
        assert.not(existsSync(join(folder, 'backup', name)), name);
      }
      assert.is((await type(check))?.trim(), 'ok');
      assert.is(await type(restore), '');

      const restored = await serve();
      const status = async (id: string) => (await fetch(`${url}/papers/${id}`, { headers })).status;
      assert.equal([await status(kept.id), await status(later.id)], [200, 404]);
      assert.is(await picture(), pushed);
      const root = (data: string) => readFileSync(join(folder, data, 'authority/ca.crt'), 'utf8');
      assert.is(root('data'), root('data.before'));
      await restored.kill();
    }),
);

longTest(test)(
  'the check finds a database that is cut short and a picture that is damaged, and no service starts over the first',
  () =>
    withOperator(async ({ folder, env, serve, type }) => {
      await (await serve()).kill();
      assert.is(await type(backup), '');
      assert.is((await type(check))?.trim(), 'ok');
      const image = join(folder, 'backup/files', 'ab'.repeat(32));
      appendFileSync(image, 'no such bytes');
      assert.is(await type(check), undefined);
      rmSync(image);
      assert.is((await type(check))?.trim(), 'ok');
      truncateSync(join(folder, 'backup/papergate.sqlite'), 20_000);
      assert.is(await type(check), undefined);
      assert.is(await type(restore), '');
      const ended = await papergateAlone(env, 'serve');
      assert.is(ended.code, 1);
      assert.match(ended.stderr, /papergate\.sqlite is damaged\n {2}put it back from a backup/);
    }),
);

test.run();
