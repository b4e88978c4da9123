/** Structured logs, on stderr: stdout belongs to the ready line and to answers. */
import pino from 'pino';

/** What rooms may write to. Fields are picked by the caller; nothing is logged whole (T-12). */
export interface Logger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

const secretFields = [
  ...['token', 'callbackToken', 'accessToken', 'grant', 'password', 'apiKey', 'authorization', 'cookie', 'headers'],
  ...['secret', 'key', 'url', 'path', 'query', 'body', 'text', 'imageBase64', 'signature'],
];

/** What a message of an error may quote although nobody meant it to: our tokens and keys, JWTs, signed addresses. */
const secretShapes =
  /\b[0-9a-f]{64}\b|\beyJ[\w-]+\.[\w-]+\.[\w-]*|(?<=\b(?:Bearer|Basic) +)[^\s"']+|(?<=[?&][\w.-]{1,40}=)[^\s&"'#]+|(?<![\w-/])[\w-]{43}(?![\w-])/gi;

/**
 * A logger of the process. Known secret fields, and what looks like a secret in the text of an error, are censored as a
 * second net; the first is never to log them.
 * @param destination where lines go; stderr unless said
 */
export function processLogger(level: string, destination: pino.DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[secret]' },
      serializers: { error: (error: unknown) => describeError(error).replace(secretShapes, '[secret]') },
    },
    destination,
  );
}

/** Writes nothing: for tests and short commands. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The message and stack of anything that was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
