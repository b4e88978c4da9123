/** Reads the body of a request in the few ways there are, with limits. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { Refusal, type RefusalCode, refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { defaultFormLimitBytes, defaultJsonLimitBytes, fileLimitBytes } from './body-limits.ts';
import { type CallRoom, refuseFullDisk } from './body-room.ts';
import { cutText } from './cut-text.ts';
import { fit } from './fit-schema.ts';
import { readForm } from './read-form.ts';
import { readJson } from './read-json.ts';
import { type Received, receiveBody, refuseLength } from './receive-body.ts';
import type { AnyRoute } from './route.ts';
import type { ReadBody, UploadedFile } from './uploaded-file.ts';

const uploadTimeoutMs = 60_000;

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
  // The part of the body that came with the head makes the stream ask for more, which would let the connection go on.
  // Node has no word for this; test/runtime/private-parts.test.ts looks at the method that is replaced until the body
  // is let come.
  req._read = () => {};
}

/** Whether nothing of the body is still to come. An answer may be quicker than node's word that a small one is complete. */
export function isAllHere(req: IncomingMessage): boolean {
  return req.complete || req.readableLength === Number(req.headers['content-length']);
}

const limits = { json: defaultJsonLimitBytes, multipart: defaultFormLimitBytes, bytes: fileLimitBytes };

/** Takes the body that the route asks for from the line, as it comes; whatever headers decide is decided before (INV-66). */
export async function takeBody(ctx: Context, route: AnyRoute, room: CallRoom, clock: Clock): Promise<Received> {
  const { headers } = ctx.req;
  // Inflating is how a small request becomes a large one (T-34).
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw refuse('unsupported-type', { message: 'Compressed bodies are not accepted', hint: 'send it as it is' });
  }
  const { bodyType = 'json' } = route;
  if (bodyType === 'json' && !isJson(headers['content-type'])) throw refuse('unsupported-type');
  if (bodyType === 'multipart' && !/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw refuse('unsupported-type', { hint: 'send multipart/form-data' });
  }
  const limitBytes = route.bodyLimitBytes ?? limits[bodyType];
  refuseLength(ctx.req, limitBytes);
  // One that drips is ended (T-35).
  const timeout = clock.after(uploadTimeoutMs, () => ctx.req.destroy());
  try {
    return await receiveBody(ctx.req, room, limitBytes, () => letCome(ctx));
  } finally {
    timeout.cancel();
  }
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return type === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

/** Lets the body come, and lets a client that asks first go on: after everything that headers decide (INV-66). */
function letCome(ctx: Context): void {
  if (ctx.req.headers.expect?.toLowerCase() === '100-continue') ctx.res.writeContinue();
  Reflect.deleteProperty(ctx.req, '_read');
  ctx.req.socket.resume();
}

/** The request as the route reads it. */
export async function readBody(ctx: Context, route: AnyRoute, received: Received, room: CallRoom): Promise<ReadBody> {
  if (route.bodyType === 'bytes') return { body: {}, files: [{ field: 'body', content: received }] };
  const malformed = route.malformed ?? 'invalid-request';
  if (route.bodyType === 'multipart') {
    const { body, files } = await readForm(ctx, received, room);
    return { body: fit(route.body, body, malformed), files };
  }
  if (Buffer.isBuffer(received)) return readJsonBody(route, received, malformed);
  return room.takeApart(received, async (bytes) => {
    const { body, files } = readJsonBody(route, bytes, malformed);
    return { body, files: await Promise.all(files.map((file) => putAside(file, room))) };
  });
}

function readJsonBody(route: AnyRoute, bytes: Buffer, malformed: RefusalCode): ReadBody {
  const cut = route.fileText && cutText(bytes, route.fileText.name);
  const read = bytes.length === 0 ? { value: {} } : readJson(cut?.rest ?? bytes);
  if (read instanceof Refusal) throw read;
  return takeOutFile(route, fit(route.body, read.value, malformed), cut?.text);
}

/** A body that fits its route, without the file that it held as text. */
export function takeOutFile(route: AnyRoute, body: unknown, text?: Buffer): ReadBody {
  return route.fileText?.takeOut(body, text) ?? { body, files: [] };
}

/** Nothing large stays in memory while a call waits for its picture's turn, and nothing of the body's bytes. */
async function putAside(file: UploadedFile, room: CallRoom): Promise<UploadedFile> {
  const { field, content } = file;
  if (!Buffer.isBuffer(content)) return file;
  if (content.length <= defaultJsonLimitBytes) return { field, content: Buffer.from(content) };
  const { path, handle } = await room.openFile();
  await handle.writeFile(content).catch(refuseFullDisk);
  return { field, content: { path } };
}
