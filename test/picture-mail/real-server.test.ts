/** A mailbox of Debian's Dovecot (ML-2, ML-5, ML-7). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { manyTimes, unlessUnable } from '../some-times.ts';
import { dovecotProblem, startDovecot } from './dovecot.ts';
import { followMailbox, mailMemory, someJpeg, writtenMail } from './mail-world.ts';

const suiteOfDovecot = suite('a mailbox of Dovecot');
const test = unlessUnable(suiteOfDovecot, dovecotProblem());

async function waitFor(when: () => boolean): Promise<void> {
  while (!when()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('thousands of messages that are nothing for an album stay, and pictures are found among them', async () => {
  const count = manyTimes('messages', 20_000, 500);
  const server = await startDovecot();
  try {
    const store = mailMemory();
    function* strays(): Generator<string> {
      for (let number = 1; number < count; number++)
        yield writtenMail({ id: `stray-${number}`, to: 'frame@box.example' });
    }
    server.deliver(strays());
    server.deliver([writtenMail({ id: 'old', pictures: [someJpeg(1, 300_000)] })]);
    const started = performance.now();
    const mailbox = followMailbox(server.port, store, { isHurried: false });
    await waitFor(() => store.closed.has('<old>') && store.place?.lastUid === count);
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `${count} messages in ${seconds.toFixed(1)} s, ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`,
    );
    server.deliver([writtenMail({ id: 'new', pictures: [someJpeg(2, 300_000), someJpeg(3)] })]);
    server.deliver([writtenMail({ id: 'late', to: 'frame@box.example' })]);
    mailbox.nudge();
    await waitFor(() => server.count('Papergate') === 2 && server.count('Papergate.left out') === 1);
    await mailbox.stop();
    assert.is(server.count('INBOX'), count - 1);
    assert.equal(
      [...store.pictures.values()].map(({ content }) => content.length),
      [300_004, 300_004, 1_004],
    );
    assert.equal(mailbox.states, [{ state: 'connected' }]);
  } finally {
    await server.stop();
  }
});

suiteOfDovecot.run();
