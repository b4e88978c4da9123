/** Structured logs on stderr; stdout is for the ready line and for answers. */
import pino from 'pino';
import { asTypedHere } from './command-here.ts';
import { inertJson } from './inert-json.ts';

/** The log that modules write to. The caller picks each field; no object is logged as a whole (T-12). */
export interface Logger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

const secretFields = [
  'token',
  'callbackToken',
  'accessToken',
  'grant',
  'password',
  'apiKey',
  'authorization',
  'cookie',
  'headers',
  'secret',
  'key',
  'url',
  'path',
  'query',
  'body',
  'text',
  'imageBase64',
  'signature',
];

/** The secrets that the message of an error may quote by accident: our tokens and keys, JWTs, signed addresses. */
const secretShapes =
  /\b[0-9a-f]{64}\b|\beyJ[\w.-]{8,}|(?<=\b(?:Bearer|Basic) {1,9})[^\s"']+|(?<=[?&][\w.-]{1,40}=)[^\s&"'#]+|(?<![\w-/])[\w-]{43}(?![\w-])/gi;

/**
 * Creates the logger of the process, whose lines have no effect on a terminal. Known secret fields, and texts in errors
 * that look like secrets, are censored as a second defence; the first is never to log them.
 * @param destination where lines go; stderr by default
 * @param base fields of every line
 */
export function processLogger(
  level: string,
  destination: pino.DestinationStream = pino.destination(2),
  base: Readonly<Record<string, string>> = {},
): Logger {
  return pino(
    {
      level,
      base,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[secret]' },
      formatters: {
        log: (fields) => (typeof fields.hint === 'string' ? { ...fields, hint: asTypedHere(fields.hint) } : fields),
      },
      serializers: { error: (error: unknown) => describeError(error).replace(secretShapes, '[secret]') },
    },
    { write: (line) => destination.write(inertJson(line)) },
  );
}

/** A logger for tests and short commands, which writes nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns the message and the stack of anything that was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
