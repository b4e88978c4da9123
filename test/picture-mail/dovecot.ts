/** A real Dovecot on loopback, for one test: its own folder, its own port, no account of the machine. */
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const program = '/usr/sbin/dovecot';

/** The reason why Dovecot cannot run here; undefined when it can. */
export function dovecotProblem(): string | undefined {
  if (!existsSync(program)) return 'no Dovecot is installed';
  return process.getuid?.() === 0 ? undefined : 'Dovecot needs root to read mail as another user';
}

export interface Dovecot {
  readonly port: number;
  /** Puts messages into the inbox, as a delivery agent does. */
  deliver(messages: Iterable<string>): void;
  /** Counts the messages of a folder. */
  count(folder: string): number;
  stop(): Promise<void>;
}

/** The files of a certificate and its key. */
interface DovecotTls {
  readonly cert: string;
  readonly key: string;
}

/** Starts one whose user is `frame`, its password `s3cret`, its mail a Maildir. With TLS it offers STARTTLS. */
export async function startDovecot(tls?: DovecotTls): Promise<Dovecot> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-dovecot-'));
  const port = randomInt(20_000, 30_000);
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'mail']).stdout));
  const mail = join(folder, 'mail');
  for (const one of ['', 'cur', 'new', 'tmp']) mkdirSync(join(mail, one), { recursive: true });
  for (const one of ['', 'cur', 'new', 'tmp']) chownSync(join(mail, one), uid ?? 0, gid ?? 0);
  chmodSync(folder, 0o755);
  const users = join(folder, 'users');
  writeFileSync(users, 'frame:{PLAIN}s3cret\n');
  const file = join(folder, 'dovecot.conf');
  const settings = [
    ...[`base_dir = ${folder}/run`, `state_dir = ${folder}/state`, `log_path = ${folder}/log`, 'protocols = imap'],
    ...['listen = 127.0.0.1', ...securityOf(tls), 'auth_mechanisms = plain login'],
    ...[`mail_location = maildir:${mail}`, 'first_valid_uid = 1', 'maildir_stat_dirs = no'],
    ...[`service imap-login {`, 'chroot =', 'inet_listener imap {', `port = ${port}`, '}', 'inet_listener imaps {'],
    ...['port = 0', '}', '}', 'service anvil {', 'chroot =', '}', 'service stats {', 'chroot =', '}'],
    ...['passdb {', 'driver = passwd-file', `args = ${users}`, '}', 'userdb {', 'driver = static'],
    ...[`args = uid=${uid} gid=${gid} home=${mail}`, '}', 'namespace inbox {', 'inbox = yes', '}', ''],
  ];
  writeFileSync(file, settings.join('\n'));
  const server = spawn(program, ['-F', '-c', file], { stdio: 'ignore' });
  let delivered = 0;
  const messagesOf = (name: string): number => {
    const listed = spawnSync('find', [
      join(mail, name === 'INBOX' ? '' : `.${name}`),
      '-maxdepth',
      '2',
      '-type',
      'f',
      '-name',
      '*.M*',
      '-printf',
      '.',
    ]);
    return listed.stdout.length;
  };
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    while (server.exitCode === null && server.signalCode === null) await pause(20);
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 200 && server.exitCode === null; tries++) {
    if (await answers(port)) {
      return {
        port,
        stop,
        count: messagesOf,
        deliver(messages) {
          for (const raw of messages) {
            const path = join(mail, 'new', `${1_700_000_000 + delivered}.M${delivered++}.here`);
            writeFileSync(path, raw, 'latin1');
            chownSync(path, uid ?? 0, gid ?? 0);
          }
        },
      };
    }
    await pause(50);
  }
  const log = spawnSync('tail', ['-5', join(folder, 'log')]).stdout.toString();
  await stop();
  throw new Error(`Dovecot did not serve: ${log}`);
}

const securityOf = (tls: DovecotTls | undefined): readonly string[] =>
  tls === undefined
    ? ['ssl = no', 'disable_plaintext_auth = no']
    : ['ssl = required', `ssl_cert = <${tls.cert}`, `ssl_key = <${tls.key}`, 'disable_plaintext_auth = yes'];

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(500, () => socket.destroy());
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
    socket.on('data', (greeting) => {
      socket.destroy();
      resolve(greeting.toString().startsWith('* OK'));
    });
  });
}
