/** Pictures that are mailed to an album, over Debian's Dovecot. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { photo } from '../papers/images-world.ts';
import { dovecotProblem, startDovecot } from '../picture-mail/dovecot.ts';
import { writtenMail } from '../picture-mail/mail-world.ts';
import { unlessUnable } from '../some-times.ts';
import { withPost } from './post-world.ts';

const suiteOfDovecot = suite('pictures by mail over Dovecot');
const test = unlessUnable(suiteOfDovecot, dovecotProblem());

test('pictures come into the album, a stranger waits, and a yes brings theirs', async () => {
  const server = await startDovecot();
  try {
    await withPost({ imapPort: server.port }, async ({ invites, makesAddress, until, shown, pictured, ...world }) => {
      const { letters, call, admin, album } = world;
      await invites('grandma@example.org', 'Grandma');
      const to = await makesAddress();
      const pictures = await Promise.all(['red', 'blue'].map((colour) => photo(800, 480, colour)));
      server.deliver([writtenMail({ id: 'one', to, pictures })]);
      server.deliver([
        writtenMail({ id: 'two', to, from: 'aunt@example.net', pictures: [await photo(800, 480, 'green')] }),
      ]);
      await until(async () => letters.length === 1 && (await shown()).waiting.length === 1);
      assert.is((await pictured()).length, 2);
      const [{ id }] = (await shown()).waiting;
      await call('POST', `/papers/${album}/post/waiting/${id}`, { as: admin, json: { accept: true } });
      await until(async () => (await pictured()).length === 3 && server.count('Papergate') === 2);
      assert.equal([server.count('INBOX'), server.count('Papergate.waiting'), letters.length], [0, 0, 1]);
    });
  } finally {
    await server.stop();
  }
});

suiteOfDovecot.run();
