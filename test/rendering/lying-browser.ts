/**
 * A process that starts a browser which lies to its driver, and reports at its end that it is alive. The lie is its
 * argument: the browser's message, as text.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { systemClock } from '../../runtime/clock.ts';

/** Answers what a driver asks at its beginning, then lies. */
const browser = (lie: string): string => `#!${process.execPath}
const { createReadStream, createWriteStream } = require('node:fs');
const events = createWriteStream(null, { fd: 4 });
const say = (message) => events.write(JSON.stringify(message) + '\\0');
const targetInfo = { targetId: 'B', type: 'browser', title: '', url: '', attached: true, canAccessOpener: false };
const answers = {
  'Target.getBrowserContexts': () => ({ browserContextIds: [] }),
  'Target.setDiscoverTargets': () => (say({ method: 'Target.targetCreated', params: { targetInfo } }), {}),
  'Target.attachToTarget': () => {
    say({ method: 'Target.attachedToTarget', params: { sessionId: 'S', targetInfo, waitingForDebugger: false } });
    return { sessionId: 'S' };
  },
  'Browser.getVersion': () => {
    setTimeout(() => events.write(${JSON.stringify(lie)} + '\\0'), 200);
    return { product: 'Lying/1' };
  },
};
let text = '';
createReadStream(null, { fd: 3 }).on('data', (chunk) => {
  text += chunk;
  const messages = text.split('\\0');
  text = messages.pop();
  for (const { id, method, sessionId } of messages.map((message) => JSON.parse(message))) {
    say({ id, result: answers[method]?.() ?? {}, sessionId });
  }
});
`;

const folder = await mkdtemp(join(tmpdir(), 'papergate-lying-browser-'));
try {
  const executable = join(folder, 'browser');
  await writeFile(executable, browser(process.argv[2] ?? ''));
  await chmod(executable, 0o755);
  await chmod(folder, 0o755);
  const started = await launchBrowser(executable, systemClock);
  let hasEnded = false;
  started.browser.once('disconnected', () => {
    hasEnded = true;
  });
  for (let tries = 0; !hasEnded && tries < 50; tries++) await pause(100);
  await started.close();
  process.stdout.write(hasEnded ? 'alive, and the browser was given up' : 'alive, and so is the browser');
} finally {
  await rm(folder, { recursive: true, force: true });
}
