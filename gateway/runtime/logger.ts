/** Structured logs, on stderr: stdout belongs to the ready line and to answers. */
import pino from 'pino';

/** What rooms may write to. Fields are picked by the caller; nothing is logged whole (T-12). */
export interface Logger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

const secretFields = ['token', 'callbackToken', 'grant', 'password', 'apiKey', 'authorization', 'secret', 'url'];

/** A logger of the process. Known secret fields are censored as a second net; the first is never to log them. */
export function processLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[secret]' },
      serializers: { error: (error: unknown) => describeError(error) },
    },
    pino.destination(2),
  );
}

/** Writes nothing: for tests and short commands. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The message and stack of anything that was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
