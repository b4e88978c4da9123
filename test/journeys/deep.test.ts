/** `papergate doctor --deep` beside a service at work: no false alarms, the exit code, and nothing secret. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, type DatabaseAddress, isPostgres } from '../../runtime/database/database.ts';
import { papergate } from '../cli/papergate.ts';
import { environmentOf, postcardMeta, withService } from './world.ts';

const test = suite('doctor --deep, live');

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { name: string; result: string; rows: readonly string[] }[];
}

/** Where the rows of a world are. */
async function addressOf(db: Database): Promise<DatabaseAddress> {
  if (!isPostgres(db)) return { file: 'papergate.sqlite' };
  const { rows } = await db.raw('select current_database() as name');
  const url = new URL(process.env.DATABASE_URL ?? '');
  url.pathname = `/${rows[0].name}`;
  return { url: url.href };
}

test('alongside a service that takes content and delivers it, nothing is found; one row that is wrong is', () =>
  withService(async ({ context, dataFolder, integration, createPaper, showOn, startFrames, connect }) => {
    const { db } = context;
    const rows = await addressOf(db);
    const env = environmentOf(dataFolder, rows);
    const examine = async (...options: readonly string[]) => {
      const ended = await papergate(env, 'doctor', '--deep', '--json', ...options);
      assert.ok(ended.stdout !== '', ended.stderr);
      return { ...ended, report: JSON.parse(ended.stdout) as Report };
    };
    const failed = ({ checks }: Report) => checks.filter(({ result }) => result === 'fail');

    const serials = ['epd7-0000000000a1', 'epd7-0000000000a2'];
    await startFrames(serials.map((serial) => ({ serial, dialect: 'native' as const, kind: 'epd7' })));
    const paperId = await createPaper('plugin', postcardMeta(integration));
    await showOn(paperId, serials);
    const push = await connect(paperId);

    let isOver = false;
    let looks = 0;
    const looking = (async () => {
      while (!isOver) {
        assert.equal(failed((await examine()).report), []);
        looks++;
      }
    })();
    for (let message = 1; message <= 12; message++) {
      await push.submit({ messageId: `m${message}`, text: `Message ${message}` });
      if (message % 4 === 0) await push.reach('synced', `m${message}`);
    }
    isOver = true;
    await looking;
    assert.ok(looks > 1, `${looks} looks`);

    const well = await examine('--files');
    assert.is(well.code, 0, well.stderr);
    assert.is(well.report.ok, true);
    assert.ok(well.report.checks.some(({ name }) => name === 'digests'));

    const { id } = await db('deliveries').where({ state: 'synced' }).first('id');
    await db('deliveries').where({ id }).update({ attempts: 5 });
    const ill = await examine();
    assert.is(ill.code, 1);
    assert.equal(
      failed(ill.report).map(({ name, rows }) => [name, rows]),
      [['attempts', [id]]],
    );
    const lines = await papergate(env, 'doctor', '--deep');
    assert.match(lines.stdout, new RegExp(`\nFAIL {2}INV-28 .*attempts[^\n]*\n +${id}\n +\\S`));
    assert.match(lines.stderr, /^1 of \d+ checks failed\n$/);

    const { token_hash, token_sealed } = await db('connections').first();
    const { path } = await db('uploads').first();
    for (const secret of [token_hash, token_sealed, path])
      assert.ok(!(well.stdout + ill.stdout + lines.stdout).includes(secret), 'T-12');
    assert.is((await papergate(env, 'doctor', '--files')).code, 2);
  }));

test.run();
