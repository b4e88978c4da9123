/** The check of receipts that the documents have in Python: it says what `papergate verify` says. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publicRecordKeys } from '../../api/record/record-key.ts';
import { signedAnew, withWall } from './receipts-world.ts';

const test = suite('receipts in Python');

/** Returns Python in a folder that has the check of the documents as `check.py`. */
function pythonIn(folder: string): (...args: readonly string[]) => string {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/record.md'), 'utf8');
  const [, program] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  writeFileSync(join(folder, 'check.py'), program ?? '');
  return (...args) =>
    execFileSync('python3', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

test('the Python of the documents says the same of every file', () =>
  withWall(async ({ receipts, db, dataFolder }) => {
    const text = await receipts();
    writeFileSync(join(dataFolder, 'receipts.jsonl'), text);
    const [{ publicKey } = { publicKey: '' }] = await publicRecordKeys(db);
    const python = pythonIn(dataFolder);
    assert.is(python('check.py', 'receipts.jsonl', publicKey), '6 receipts hold\n');
    assert.throws(() => python('check.py', 'receipts.jsonl', '00'.repeat(32)), /key/);
    writeFileSync(join(dataFolder, 'forged.jsonl'), signedAnew(text.split('\n').slice(0, -1), 7));
    assert.is(python('check.py', 'forged.jsonl'), '6 receipts hold\n');
    assert.throws(() => python('check.py', 'forged.jsonl', publicKey), /key/);
  }));

/** Does the same to a file as `withEveryChange`, and prints what the check of the documents did not find. */
const everyChange = `from check import check
data, missed = open('receipts.jsonl', 'rb').read(), []
def tries(changed, how):
    if changed == data: return
    try:
        check(changed)
        missed.append(how)
    except Exception: pass
for at in range(len(data)):
    tries(data[:at] + bytes([data[at] ^ 32]) + data[at + 1:], ('flipped', at))
    tries(data[:at] + data[at + 1:], ('dropped', at))
    tries(data[:at], ('cut', at))
    tries(data[:at] + data[at + 1:at + 2] + data[at:at + 1] + data[at + 2:], ('swapped', at))
lines = data.splitlines(True)
for one in range(len(lines)):
    tries(b''.join(lines[:one] + lines[one + 1:]), ('line dropped', one))
    for other in range(one):
        tries(b''.join(lines[:other] + [lines[one]] + lines[other + 1:one] + [lines[other]] + lines[one + 1:]), (other, one))
print(missed)
`;

test('the Python of the documents finds every byte that is flipped, cut, dropped or swapped, and every line', () =>
  withWall(
    async ({ receipts, dataFolder }) => {
      writeFileSync(join(dataFolder, 'receipts.jsonl'), await receipts());
      writeFileSync(join(dataFolder, 'changes.py'), everyChange);
      assert.is(pythonIn(dataFolder)('changes.py'), '[]\n');
    },
    { days: ['monday'], count: 1 },
  ));

test.run();
