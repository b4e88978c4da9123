/** A mailbox whose server begins with STARTTLS: a real Dovecot. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMailbox } from '../../api/picture-mail/mailbox.ts';
import type { MailboxAddress } from '../../api/picture-mail/mailbox-address.ts';
import { describeMailboxError } from '../../api/picture-mail/mailbox-trouble.ts';
import { unlessUnable } from '../some-times.ts';
import { type Dovecot, dovecotProblem, startDovecot } from './dovecot.ts';
import { writtenMail } from './mail-world.ts';

const suiteOfStarttls = suite('a mailbox with STARTTLS');
const test = unlessUnable(suiteOfStarttls, dovecotProblem());

/** Starts a server with a certificate for `localhost`, which this process trusts from `trust` on. */
async function withServer(run: (server: Dovecot, trust: () => void) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-starttls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const wish = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  spawnSync('openssl', [...wish, '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]);
  chmodSync(folder, 0o755);
  const usual = tls.getCACertificates();
  const server = await startDovecot({ cert, key });
  try {
    await run(server, () => tls.setDefaultCACertificates([...usual, readFileSync(cert, 'utf8')]));
  } finally {
    tls.setDefaultCACertificates(usual);
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

const addressOf = (port: number): MailboxAddress => ({
  host: 'localhost',
  port,
  privacy: 'starttls',
  user: 'frame',
  password: 's3cret',
  folder: 'INBOX',
});

test('an unknown certificate gets no login, and a known one does', () =>
  withServer(async (server, trust) => {
    server.deliver([writtenMail({ id: 'one' })]);
    const { signal } = new AbortController();
    const refused = await openMailbox(addressOf(server.port), signal).catch((error: unknown) => error);
    assert.instance(refused, Error);
    assert.match(describeMailboxError(refused).code, /certificate/);
    trust();
    const mailbox = await openMailbox(addressOf(server.port), signal);
    const [uid] = await mailbox.uidsAfter(0);
    mailbox.close();
    assert.is(uid, 1);
  }));

suiteOfStarttls.run();
