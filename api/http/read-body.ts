/** Reads the body of a request in the few ways there are, with limits (T-34, T-35). */
import type { IncomingMessage } from 'node:http';
import multer from '@koa/multer';
import type { Context } from 'koa';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { fieldLimitBytes, fileLimitBytes, inWords, usualFormLimitBytes, usualJsonLimitBytes } from './body-limits.ts';
import { readJson } from './read-json.ts';
import type { AnyRoute, UploadedFile } from './route.ts';

const uploadTimeoutMs = 60_000;

/** A body as a route sees it before validation. */
export interface ReadBody {
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

/** For routes that take no body (C-02), and for requests without one. */
export const nothingRead: ReadBody = Object.freeze({ body: Object.freeze({}), files: [] });

/** Whether the request announces a body at all. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** So much of a body may come in before the headers are judged (INV-66). */
const earlyBytes = 64 * 1024;

/** Keeps a large body on the line until it is read: of one whose headers are refused, only what came with them is taken. */
export function postponeBody(req: IncomingMessage): void {
  // Measured: of a body that was never asked for, node reads all after the answer, only to drop it (INV-66).
  req.read(0);
  if (Number(req.headers['content-length']) < earlyBytes) return;
  req.socket.pause();
  // What came of it with the head makes the stream ask for more, which would let the connection go on.
  req._read = () => {};
}

/** Whether nothing of the body is still to come. An answer may be quicker than node's word that a small one is complete. */
export function isAllHere(req: IncomingMessage): boolean {
  return req.complete || req.readableLength === Number(req.headers['content-length']);
}

/** Reads what the route takes. */
export async function readBody(ctx: Context, route: AnyRoute, clock: Clock): Promise<ReadBody> {
  if (!hasBody(ctx.req)) return nothingRead;
  // Inflating is how a small request becomes a large one (T-34).
  if ((ctx.req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw refuse('unsupported-type', { message: 'Compressed bodies are not accepted', hint: 'send it as it is' });
  }
  if (route.bodyType === 'multipart') {
    return inTime(ctx, clock, () => readForm(ctx, route.bodyLimitBytes ?? usualFormLimitBytes));
  }
  if (route.bodyType === 'bytes') {
    const read = () => readBytes(ctx, route.bodyLimitBytes ?? fileLimitBytes, () => {});
    return { body: await inTime(ctx, clock, read), files: [] };
  }
  return { body: await readJsonBody(ctx, route.bodyLimitBytes ?? usualJsonLimitBytes), files: [] };
}

/** A large body that drips is ended (T-35). */
async function inTime<Read>(ctx: Context, clock: Clock, read: () => Promise<Read>): Promise<Read> {
  const timeout = clock.after(uploadTimeoutMs, () => ctx.req.destroy());
  try {
    return await read();
  } finally {
    timeout.cancel();
  }
}

async function readJsonBody(ctx: Context, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(ctx, limitBytes, () => {
    if (!isJson(ctx.req.headers['content-type'])) throw refuse('unsupported-type');
  });
  if (bytes.length === 0) return {};
  const read = readJson(bytes);
  if (read instanceof Refusal) throw read;
  return read.value;
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return type === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

async function readBytes(ctx: Context, limitBytes: number, check: () => void): Promise<Buffer> {
  check();
  refuseLength(ctx.req, limitBytes);
  letCome(ctx);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limitBytes) throw tooLarge(limitBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse('invalid-request', { message: 'The body ended early' });
  }
  return Buffer.concat(chunks, size);
}

function refuseLength(req: IncomingMessage, limitBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): Refusal {
  return refuse('body-too-large', { hint: `at most ${inWords(limitBytes)}` });
}

/** Lets the body come, and tells a client that asks first to go on: after everything that headers decide (INV-66). */
function letCome(ctx: Context): void {
  if (ctx.req.headers.expect?.toLowerCase() === '100-continue') ctx.res.writeContinue();
  Reflect.deleteProperty(ctx.req, '_read');
  ctx.req.socket.resume();
}

const formLimits = {
  files: 3,
  fileSize: fileLimitBytes,
  fields: 50,
  fieldSize: fieldLimitBytes,
  fieldNameSize: 100,
  fieldNestingDepth: 0,
  parts: 53,
  headerPairs: 20,
};

async function readForm(ctx: Context, limitBytes: number): Promise<ReadBody> {
  if (!/^multipart\/form-data\s*(;|$)/i.test(ctx.req.headers['content-type'] ?? '')) {
    throw refuse('unsupported-type', { hint: 'send multipart/form-data' });
  }
  refuseLength(ctx.req, limitBytes);
  letCome(ctx);
  try {
    const read = multer({ storage: multer.memoryStorage(), limits: formLimits }).any();
    await read(ctx, async () => {});
  } catch (error) {
    throw refuseForm(error);
  }
  const files = Array.isArray(ctx.files) ? ctx.files : [];
  return {
    body: 'body' in ctx.request ? ctx.request.body : {},
    files: files.map(({ fieldname, buffer }) => ({ field: fieldname, bytes: buffer })),
  };
}

const countedLimits: Readonly<Record<string, string>> = {
  LIMIT_FILE_COUNT: `${formLimits.files} files`,
  LIMIT_FIELD_COUNT: `${formLimits.fields} text fields`,
  LIMIT_PART_COUNT: `${formLimits.parts} parts`,
  LIMIT_FIELD_KEY: `${formLimits.fieldNameSize} bytes in the name of a field`,
  LIMIT_FIELD_NESTING: `${formLimits.fieldNestingDepth} brackets in the name of a field`,
};

/** The reader's own limits carry a code, and the field where there is one; a truncated form is a plain error without either. */
function refuseForm(error: unknown): Refusal {
  const { code, field } = formProblem(error);
  if (code === 'LIMIT_FILE_SIZE') {
    return refuse('body-too-large', { hint: `${field}: a file has at most ${inWords(fileLimitBytes)}` });
  }
  if (code === 'LIMIT_FIELD_VALUE') {
    return refuse('invalid-request', { message: `${field} is larger than ${inWords(fieldLimitBytes)}` });
  }
  const most = countedLimits[code];
  if (most !== undefined) return refuse('invalid-request', { message: `The form has more than ${most}` });
  return refuse('invalid-request', { message: 'The form is not complete' });
}

function formProblem(error: unknown): { readonly code: string; readonly field: string } {
  if (!(error instanceof Error)) return { code: '', field: '' };
  return {
    code: 'code' in error ? String(error.code) : '',
    field: 'field' in error ? String(error.field) : 'a field',
  };
}
