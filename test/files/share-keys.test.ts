/** The keys of several nodes: made once, brought along by a service that was alone, and refused where they do not fit. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openServiceKeys } from '../../api/service/open/service-keys.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { shareKeys } from '../../api/service/open/share-keys.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { everythingStored, ownDatabase } from '../database.ts';
import { refusedWith } from '../journeys/world.ts';

const test = suite('keys of nodes');
const secret = 'the secret of all nodes, more than 32 letters';

interface KeysWorld {
  /** The folder of a node; none of it exists before. */
  folderOf(node: string): string;
  share(node: string, secretOfNode?: string): Promise<void>;
  stored(): Promise<string>;
}

async function withKeys(run: (world: KeysWorld) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-keys-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const db = await openDatabase(rows.address, tables);
  const folderOf = (node: string): string => join(folder, node);
  try {
    await run({
      folderOf,
      async share(node, given = secret) {
        const { seal: sealKey } = await openServiceKeys(folderOf(node), given);
        const deps = { db, clock: systemClock, random: systemRandom(systemClock) };
        await shareKeys({ ...deps, dataFolder: folderOf(node), secret: given, sealKey });
      },
      stored: () => everythingStored(rows.address),
    });
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

const keysIn = (folder: string): Promise<string[]> =>
  Promise.all(
    ['token-issuer.key', 'authority/ca.key', 'authority/ca.crt'].map((file) => readFile(join(folder, file), 'utf8')),
  );

test('nodes that start at once agree on the keys, which stand sealed in the database', () =>
  withKeys(async ({ folderOf, share, stored }) => {
    await Promise.all([share('a'), share('b'), share('c')]);
    const keys = await keysIn(folderOf('a'));
    assert.equal(await keysIn(folderOf('b')), keys);
    assert.equal(await keysIn(folderOf('c')), keys);
    const everything = await stored();
    for (const key of keys.slice(0, 2)) {
      const line = key.split('\n')[1] ?? '';
      assert.ok(line.length > 40 && !everything.includes(line), 'T-13: a stolen database holds no key');
    }
    await share('a');
    assert.equal(await keysIn(folderOf('a')), keys);
  }));

test('a service that was alone brings its keys, and a file that a node lost comes back', () =>
  withKeys(async ({ folderOf, share }) => {
    await openAuthority(folderOf('alone'), Date.now());
    const certificate = await readFile(join(folderOf('alone'), 'authority/ca.crt'), 'utf8');
    await share('alone');
    await share('b');
    assert.is((await keysIn(folderOf('b')))[2], certificate);
    await rm(join(folderOf('b'), 'token-issuer.key'));
    await share('b');
    assert.equal(await keysIn(folderOf('b')), await keysIn(folderOf('alone')));
  }));

test('another secret and the folder of another service are refused, and nothing is changed', () =>
  withKeys(async ({ folderOf, share }) => {
    await share('a');
    const wrong = await refusedWith(share('b', 'another secret, that is long enough to be one'));
    assert.match(wrong, /^PAPERGATE_SECRET_KEY: is not the secret of the nodes of this database\nset what the other/);
    await openAuthority(folderOf('other'), Date.now());
    const certificate = await readFile(join(folderOf('other'), 'authority/ca.crt'), 'utf8');
    assert.match(await refusedWith(share('other')), /^PAPERGATE_DATA: .*ca\.key is the key of another service/);
    assert.is(await readFile(join(folderOf('other'), 'authority/ca.crt'), 'utf8'), certificate);
    await writeFile(join(folderOf('a'), 'secret.key'), 'f'.repeat(64));
    assert.match(await refusedWith(share('a')), /^PAPERGATE_SECRET_KEY: is not the secret in .*secret\.key/);
  }));

test.run();
