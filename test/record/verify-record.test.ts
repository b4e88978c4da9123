/** Receipts that leave the service: whatever is done to the file, it is found, and forgotten words break nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJson } from '../../api/record/canonical-json.ts';
import { nameOfDay, rootsFolder, signDays } from '../../api/record/day-roots.ts';
import { hashOf } from '../../api/record/record-format.ts';
import { publicRecordKeys } from '../../api/record/record-key.ts';
import { rootsInMail } from '../../api/record/roots-in-mail.ts';
import { verifyRecord } from '../../api/record/verify-record.ts';
import { papergate } from '../cli/papergate.ts';
import { worldKeys } from '../http/world.ts';
import { longTest } from '../some-times.ts';
import { signedAnew, type Wall, withWall } from './receipts-world.ts';

const test = suite('receipts');
const dayMs = 86_400_000;

const faultsOf = (text: string | Uint8Array, known?: Parameters<typeof verifyRecord>[1]): string[] =>
  verifyRecord(typeof text === 'string' ? Buffer.from(text) : text, known).faults.map(
    ({ line, code }) => `${line} ${code}`,
  );

test('what the service gives out holds, as a whole and from any day on', () =>
  withWall(async ({ receipts, clock, db, organizationId }) => {
    const text = await receipts();
    const [{ publicKey } = { publicKey: '' }] = await publicRecordKeys(db);
    const checked = verifyRecord(Buffer.from(text), { keys: [publicKey] });
    assert.equal(checked.faults, []);
    assert.equal(
      [checked.receipts, checked.roots, checked.organization, checked.keys],
      [6, 2, organizationId, [publicKey]],
    );
    assert.match(text, 'Speisekarte für „Müller“ 🥨');
    const later = await receipts(clock.now() - dayMs - 3_600_000);
    assert.equal(faultsOf(later), []);
    assert.is(verifyRecord(Buffer.from(later)).receipts, 4);
    assert.is(JSON.parse(later.split('\n')[0] ?? '').first, 3);
    const none = await receipts(clock.now() + 1);
    assert.equal(faultsOf(none), []);
    assert.is(verifyRecord(Buffer.from(none)).receipts, 0);
  }));

/** Does everything to a file that leaves other bytes, and expects each to be found. */
async function withEveryChange({ receipts }: Wall, bits: readonly number[]): Promise<void> {
  const bytes = Buffer.from(await receipts());
  const isFound = (changed: Uint8Array | string, how: string): void => assert.ok(faultsOf(changed).length > 0, how);
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of bits) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ bit;
      isFound(flipped, `bit ${bit} of byte ${at}`);
    }
    isFound(bytes.subarray(0, at), `cut at ${at}`);
    isFound(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]), `without byte ${at}`);
    const swapped = Buffer.from(bytes);
    [swapped[at], swapped[at + 1]] = [bytes[at + 1] ?? 0, bytes[at] ?? 0];
    if (at + 1 < bytes.length && !swapped.equals(bytes)) isFound(swapped, `swapped at ${at}`);
  }
  isFound(`${bytes}\n`, 'an empty line more');
  const lines = bytes.toString().split('\n').slice(0, -1);
  const put = (order: readonly string[]): string => `${order.join('\n')}\n`;
  for (let one = 0; one < lines.length; one++) {
    isFound(put(lines.toSpliced(one, 1)), `without line ${one + 1}`);
    isFound(put(lines.toSpliced(one, 0, lines[one] ?? '')), `line ${one + 1} twice`);
    for (let other = one + 1; other < lines.length; other++) {
      const order = lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '');
      isFound(put(order), `lines ${one + 1} and ${other + 1} swapped`);
    }
  }
}

test('every byte that is flipped, cut, dropped or swapped is found, and every line', () =>
  withWall((wall) => withEveryChange(wall, [32]), { days: ['monday'], count: 1 }));

longTest(test)('every bit is found when it is flipped, in a file of two frames', () =>
  withWall((wall) => withEveryChange(wall, [1, 2, 4, 8, 16, 32, 64, 128])),
);

test('somebody with a key of his own is found by the service’s, and what was changed by its line', () =>
  withWall(async ({ receipts, db }) => {
    const lines = (await receipts()).split('\n').slice(0, -1);
    const [{ publicKey } = { publicKey: '' }] = await publicRecordKeys(db);
    assert.equal(faultsOf(signedAnew(lines, 7)), [], 'his own key fits');
    assert.ok(faultsOf(signedAnew(lines, 7), { keys: [publicKey] }).every((fault) => fault.endsWith('other-key')));
    const change = (at: number, by: (value: Record<string, unknown>) => void): string[] => {
      const value = JSON.parse(lines[at] ?? '');
      by(value);
      return lines.with(at, canonicalJson(value));
    };
    const found = (changed: readonly string[]): string => faultsOf(signedAnew(changed, 7)).join(', ');
    const second = lines.findIndex((line) => line.includes('"number":2,'));
    const dated = (at: string) => change(second, (receipt) => Object.assign(receipt, { at }));
    assert.match(found(dated('2001-01-01T00:00:00.000Z')), `${second + 1} back-dated, ${second + 3} root`);
    assert.match(found(change(second, (receipt) => Object.assign(receipt, { picture: 'bb' }))), 'root');
    const organization = change(second, (receipt) => Object.assign(receipt, { organization: 'x' }));
    assert.match(found(organization), `${second + 1} other-organization`);
    const words = change(second + 1, (value) => Object.assign(value.words as object, { title: 'Other' }));
    assert.is(found(words), `${second + 2} words`);
    assert.match(found(lines.toSpliced(second, 2)), 'root');
  }));

test('a chain that was written again with the service’s own key is found by a root that is known', () =>
  withWall(async ({ receipts, db, dataFolder, organizationId, keyDeps, clock }) => {
    const text = await receipts();
    const stored = await readFile(join(rootsFolder(dataFolder), `${organizationId}.jsonl`), 'utf8');
    const roots = stored
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).root);
    const known = new Map<string, string>(roots.map(({ day, head }) => [day, head]));
    assert.equal(faultsOf(text, { roots: known }), []);
    // Somebody who has the machine takes one interval out and lets the service write its chain again.
    const rows = await db('wall_receipts').where({ organization_id: organizationId }).orderBy('number');
    await db('wall_receipts').delete();
    await db('wall_roots').delete();
    let previous = '0'.repeat(64);
    for (const [at, row] of rows.slice(1).entries()) {
      const line = canonicalJson({ ...JSON.parse(row.line), number: at + 1, previous });
      previous = hashOf(line);
      await db('wall_receipts').insert({ ...row, number: at + 1, line, hash: previous });
    }
    await signDays(keyDeps);
    const anew = await receipts();
    assert.equal(faultsOf(anew), [], 'by itself it holds');
    const faults = faultsOf(anew, { roots: known });
    assert.equal(faults.length, 2);
    assert.ok(faults.every((fault) => fault.endsWith('known-root')));
    const days = new Map([[nameOfDay(Math.floor(clock.now() / dayMs) + 9), '0']]);
    assert.match(faultsOf(text, { roots: days }).join(), 'no-root');
  }));

test('forgotten words and removed pictures leave the chain as it was', () =>
  withWall(async ({ receipts, db }) => {
    const before = await receipts();
    const [first] = await db('wall_intervals').orderBy('since');
    await db('wall_intervals')
      .where({ id: first.id })
      .update({ title: null, sender: null, frame_name: '', blind: null });
    await db('uploads').delete();
    const after = await receipts();
    assert.equal(faultsOf(after), []);
    const linesOf = (text: string): number => text.split('\n').filter((line) => line.includes('"words":{')).length;
    assert.equal([linesOf(before), linesOf(after)], [4, 3]);
  }));

test('days are signed once, and their roots are written into the file once', () =>
  withWall(async ({ keyDeps, dataFolder, db }) => {
    assert.is(await signDays(keyDeps), 0);
    const [name] = await readdir(rootsFolder(dataFolder));
    const lines = readFileSync(join(rootsFolder(dataFolder), name ?? ''), 'utf8')
      .split('\n')
      .slice(0, -1);
    assert.equal(
      lines,
      (await db('wall_roots').orderBy('day')).map(({ line }) => line),
    );
    assert.is(lines.length, 2);
    const everything = JSON.stringify(await db('record_keys'));
    assert.not.match(everything, worldKeys.seal.toString('hex'));
  }));

test('emails of digests take along what was signed since the one before, as verify reads it', () =>
  withWall(async ({ db, receipts, organizationId }) => {
    const channel = { organization_id: organizationId, kind: 'mail', digest: 'daily', language: 'en' } as const;
    const [words, ...roots] = await rootsInMail(db, { ...channel, last_sent_at: null });
    assert.match(words ?? '', 'Keep them');
    assert.is(roots.length, 2);
    const known = new Map(roots.map((root) => root.split('=') as [string, string]));
    assert.equal(faultsOf(await receipts(), { roots: known }), []);
    const [first] = await db('wall_roots').orderBy('day');
    const later = await rootsInMail(db, { ...channel, last_sent_at: first.written_at });
    assert.equal(later.slice(1), roots.slice(1));
    assert.equal(await rootsInMail(db, { ...channel, digest: 'hourly', last_sent_at: null }), [words, ...roots]);
    for (const other of [{ kind: 'ntfy' }, { digest: 'immediately' }, { organization_id: null }]) {
      assert.equal(await rootsInMail(db, { ...channel, last_sent_at: null, ...other }), []);
    }
  }));

test('papergate verify says what holds, and the line of what does not', () =>
  withWall(async ({ receipts, db, dataFolder, organizationId }) => {
    const file = join(dataFolder, 'receipts.jsonl');
    const text = await receipts();
    writeFileSync(file, text);
    const [{ publicKey } = { publicKey: '' }] = await publicRecordKeys(db);
    const roots = join(rootsFolder(dataFolder), `${organizationId}.jsonl`);
    const [known] = readFileSync(roots, 'utf8').split('\n');
    const { day, head } = JSON.parse(known ?? '').root;
    const args = ['verify', file, '--key', publicKey, '--roots', roots, '--root', `${day}=${head}`];
    assert.equal(await papergate({}, ...args), {
      code: 0,
      stdout: `6 receipts and 2 roots hold, signed with a key that was given: ${publicKey}\n`,
      stderr: '',
    });
    const other = await papergate({}, 'verify', file, '--root', `${day}=${'0'.repeat(64)}`, '--json');
    assert.is(other.code, 1);
    assert.equal(JSON.parse(other.stdout).faults[0].code, 'known-root');
    writeFileSync(file, text.replace('"event":"hung"', '"event":"hunt"'));
    const changed = await papergate({}, 'verify', file);
    assert.is(changed.code, 1);
    assert.match(changed.stdout, /^line 4: the receipt does not follow from the one before it\n/);
    assert.match(changed.stderr, 'does not hold');
    for (const wrong of [
      ['--key', 'x'],
      ['--root', 'today'],
      ['--roots', file],
    ]) {
      assert.is((await papergate({}, 'verify', file, ...wrong)).code, 2, wrong.join(' '));
    }
    assert.is((await papergate({}, 'verify', `${file}.gone`)).code, 2);
  }));

test.run();
