/** Secrets that come as files, as containers and systemd hand them over: `DATABASE_URL_FILE` names the file of `DATABASE_URL`. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { refuse } from '../../../reasons/refusals.ts';
import { errorCode } from '../../../runtime/error-code.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables whose value is a secret, or holds one. Each may be given as a file, by its name with `_FILE` behind it. */
export const secretVariables = [
  'PAPERGATE_SECRET_KEY',
  'PAPERGATE_BACKUP_KEY',
  'PAPERGATE_ARCHIVE_ACCESS_KEY_ID',
  'PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'PAPERGATE_OIDC_CLIENT_SECRET',
  'PAPERGATE_METRICS_TOKEN',
  'PAPERGATE_SMTP_URL',
  'PAPERGATE_ALERTS_TO',
  'PAPERGATE_HASS_MQTT_URL',
  'PAPERGATE_PICTURE_MAILBOX',
  'PAPERGATE_PICTURE_BOT',
] as const;

/** No secret is longer; a larger file is another one than was meant. */
const maxBytes = 64 * 1024;

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read the file',
};

/**
 * Returns the environment with the content of each named file in its variable, without the line break at its end. An
 * empty variable counts as absent.
 * @throws Refusal `bad-configuration` with every mistake. It quotes neither content nor path: somebody may have typed the
 * secret itself there
 */
export function withSecretFiles(env: Environment): Record<string, string | undefined> {
  const all = { ...env };
  const mistakes: string[] = [];
  for (const variable of secretVariables) {
    const name = `${variable}_FILE`;
    const path = env[name];
    delete all[name];
    if (path === undefined || path === '') continue;
    if (env[variable]) mistakes.push(`${name}: ${variable} is set, too: leave one of the two out`);
    else {
      const read = readSecret(path);
      if (read.mistake === undefined) all[variable] = read.secret;
      else mistakes.push(`${name}: ${read.mistake}`);
    }
  }
  if (mistakes.length === 0) return all;
  throw refuse('bad-configuration', {
    message: mistakes.join('\n'),
    hint: 'name a file that holds the value alone, and that the user of the service may read',
  });
}

type Read = { readonly secret: string; readonly mistake?: undefined } | { readonly mistake: string };

function readSecret(path: string): Read {
  let file: number | undefined;
  try {
    // A pipe is not waited for: it is refused below.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile()) return { mistake: 'it is not a file' };
    if (found.size > maxBytes) return { mistake: `the file has more than ${maxBytes / 1024} KiB` };
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return secret.trim() === '' ? { mistake: 'the file is empty' } : { secret };
  } catch (error) {
    const code = errorCode(error);
    return { mistake: problems[code] ?? `the file cannot be read (${code})` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
