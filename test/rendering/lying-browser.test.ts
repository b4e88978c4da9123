/** A browser that lies to its driver: it is given up, and the service goes on (T-75). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { typescriptArgs } from '../../runtime/typescript.mjs';

const test = suite('lying browser');

const program = fileURLToPath(new URL('./lying-browser.ts', import.meta.url));

const lies: Readonly<Record<string, string>> = {
  'an event without its fields': '{"method":"Target.targetCreated"}',
  'an event whose fields are null': '{"method":"Target.targetCreated","params":null}',
  'a target that is none': '{"method":"Target.targetInfoChanged","params":{"targetInfo":7}}',
  'a target that came before, in a session of its own':
    '{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":null}}',
  'a target whose parent is no page':
    '{"method":"Target.attachedToTarget","params":{"sessionId":"T","targetInfo":{"targetId":"X","type":"page"}}}',
  'no JSON': 'garbage',
};

for (const [name, lie] of Object.entries(lies)) {
  test(`the service outlives a browser that says ${name}`, async () => {
    const args = [...typescriptArgs, program, lie];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    assert.match(stdout, /^alive/);
  });
}

test('the driver itself is what is contained: a fault of the service still ends it', async () => {
  const source = `
    const { containDriver } = await import(${JSON.stringify(new URL('../../api/browser/contain-driver.ts', import.meta.url).href)});
    containDriver(() => console.log('given up'));
    Promise.reject(new Error('a fault'));
    setTimeout(() => console.log('alive'), 200);`;
  const args = [...typescriptArgs, '--input-type=module', '-e', source];
  const ended = await promisify(execFile)(process.execPath, args, { timeout: 60_000 }).catch((error: unknown) => error);
  assert.match(String(ended), /a fault/);
});

test.run();
