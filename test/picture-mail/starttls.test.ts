/** A mailbox whose server begins with STARTTLS: a real Dovecot. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMailbox } from '../../api/picture-mail/mailbox.ts';
import { describeMailboxError } from '../../api/picture-mail/mailbox-trouble.ts';
import { unlessUnable } from '../some-times.ts';
import { type Dovecot, dovecotProblem, startDovecot } from './dovecot.ts';
import { starttlsAt, writtenMail } from './mail-world.ts';

const suiteOfStarttls = suite('a mailbox with STARTTLS');
const test = unlessUnable(suiteOfStarttls, dovecotProblem());

/** Starts a server with a certificate for `localhost`, which is in a file. */
async function withServer(run: (server: Dovecot, certificate: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-starttls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const wish = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  spawnSync('openssl', [...wish, '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]);
  chmodSync(folder, 0o755);
  const server = await startDovecot({ cert, key });
  try {
    await run(server, cert);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

test('an unknown certificate gets no login, and a known one does', () =>
  withServer(async (server, certificate) => {
    server.deliver([writtenMail({ id: 'one' })]);
    const refused = await openMailbox(starttlsAt(server.port), new AbortController().signal).catch((error) => error);
    assert.instance(refused, Error);
    assert.match(describeMailboxError(refused).code, /certificate/);
    // Which certificates count is said to a process when it starts.
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate };
    const reader = fileURLToPath(new URL('./read-starttls.ts', import.meta.url));
    const args = ['--import', 'tsx', reader, String(server.port)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    assert.is(stdout, '1');
  }));

suiteOfStarttls.run();
