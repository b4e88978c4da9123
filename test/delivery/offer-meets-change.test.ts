/** INV-30: what allowed an offer is changed while the offer is being made; it comes before the change or not at all. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Transaction } from '../../runtime/database/database.ts';
import { othersWait } from '../database.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('offer meets change');

/** Changes that take the right to an offer away, as other rooms make them. */
const changes: Readonly<Record<string, (world: LineWorld, trx: Transaction) => Promise<unknown>>> = {
  'the frame chooses another paper': (world, trx) =>
    trx('devices')
      .where({ paper_id: world.paperId })
      .update({ paper_id: null, assignment: trx.raw('assignment + 1') }),
  'the frame moves to another organization': async (world, trx) =>
    trx('devices')
      .where({ paper_id: world.paperId })
      .update({ organization_id: await anotherOrganization(trx), assignment: trx.raw('assignment + 1') }),
  'the sender loses the membership': async (_world, trx) => trx('users').update({ role: 'onlyself' }),
  'the configuration changes': (world, trx) =>
    trx('papers')
      .where({ id: world.paperId })
      .update({
        meta: JSON.stringify({ pluginConfigUrl: 'https://elsewhere.example/config.json', pluginManifest: {} }),
      }),
  'the paper moves to another organization': async (world, trx) =>
    trx('papers')
      .where({ id: world.paperId })
      .update({ organization_id: await anotherOrganization(trx) }),
};

async function anotherOrganization(trx: Transaction): Promise<string> {
  const id = 'f'.repeat(24);
  const words = { name: 'Elsewhere', email: 'elsewhere@example.org', kind: null, meta: '{}' };
  await trx('organizations').insert({ id, ...words, created_at: 0, updated_at: 0 });
  return id;
}

for (const [what, change] of Object.entries(changes)) {
  test(`INV-30: ${what} while an offer is being made: nothing is offered`, async () => {
    await withLine(async (world) => {
      await world.addFrame();
      let finish = (): void => {};
      world.renders.with = () =>
        new Promise((resolve) => {
          finish = () => resolve({ ok: true, file: Buffer.from('late') });
        });
      const submitting = world.submit('one');
      while (world.renders.wanted.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await world.db.transaction(async (trx) => {
        await change(world, trx);
        finish();
        await othersWait(world.db, 1);
      });
      await submitting;
      assert.equal(await world.db('uploads'), []);
      assert.not.ok((await world.db('deliveries')).some(({ state }) => state === 'prepared'));
    });
  });
}

test('a page that is shown without a receipt does not come after the content that replaced it', async () => {
  await withLine(async (world) => {
    await world.db('papers').update({ kind: 'image', picture_revision: 'first', picture_key: 'x' });
    let finish = (): void => {};
    world.renders.with = () =>
      new Promise((resolve) => {
        finish = () => resolve({ ok: true, file: Buffer.from('first') });
      });
    await world.addFrame();
    world.line.nudge({ assignments: true });
    while (world.renders.wanted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    world.renders.with = async () => ({ ok: true, file: Buffer.from('second') });
    await world.db.transaction(async (trx) => {
      await trx('papers').update({ picture_revision: 'second' });
      finish();
      await othersWait(world.db, 1);
    });
    await world.settles();
    assert.equal(await world.db('uploads').pluck('revision'), ['picture:second']);
  });
});

test.run();
