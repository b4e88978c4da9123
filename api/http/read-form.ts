/** Parses a form: its files become files, its texts stay texts. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { fieldLimitBytes, fileLimitBytes, inWords } from './body-limits.ts';
import { type CallRoom, refuseFullDisk } from './body-room.ts';
import type { Received } from './receive-body.ts';
import { type ReadBody, streamContent } from './uploaded-file.ts';

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

/**
 * Reads a form.
 * @throws Refusal for a body that is not a form, or goes beyond the limits
 */
export async function readForm(ctx: Context, received: Received, room: CallRoom): Promise<ReadBody> {
  const options = {
    storage: inRoom(room),
    limits: formLimits,
    // The request was read to its end before: nothing of a form is in memory while a slow sender sends it (T-61).
    streamHandler(_request: IncomingMessage, form: NodeJS.WritableStream) {
      Readable.from(streamContent(received)).pipe(form);
    },
  };
  try {
    await multer(options).any()(ctx, async () => {});
  } catch (error) {
    throw error instanceof Refusal ? error : refuseForm(error);
  }
  const files = Array.isArray(ctx.files) ? ctx.files : [];
  return {
    body: 'body' in ctx.request ? ctx.request.body : {},
    files: files.map(({ fieldname: field, path }) => ({ field, content: { path } })),
  };
}

/** Stores the form's files in the room, which deletes them whatever becomes of the form. */
function inRoom(room: CallRoom): multer.StorageEngine {
  async function store(file: multer.File): Promise<multer.File> {
    if (!('stream' in file && file.stream instanceof Readable)) throw new Error('a file of a form is a stream');
    const { path, handle } = await room.openFile();
    await pipeline(file.stream, handle.createWriteStream()).catch(refuseFullDisk);
    return { ...file, path };
  }
  return {
    _handleFile(_request, file, done) {
      store(file).then((stored) => done(null, stored), done);
    },
    _removeFile(_request, _file, done) {
      done(new Error('the room removes files'));
    },
  };
}

const countedLimits: Readonly<Record<string, string>> = {
  LIMIT_FILE_COUNT: `${formLimits.files} files`,
  LIMIT_FIELD_COUNT: `${formLimits.fields} text fields`,
  LIMIT_PART_COUNT: `${formLimits.parts} parts`,
  LIMIT_FIELD_KEY: `${formLimits.fieldNameSize} bytes in the name of a field`,
  LIMIT_FIELD_NESTING: `${formLimits.fieldNestingDepth} brackets in the name of a field`,
};

/**
 * Turns the parser's errors into refusals. Its own limits carry a code, and the field where there is one; a truncated
 * form is a plain error without either.
 */
function refuseForm(error: unknown): Refusal {
  const { code, field } = formProblem(error);
  if (code === 'LIMIT_FILE_SIZE') {
    return refuse('body-too-large', {
      hint: reasonOf('field-file-too-large', { field, most: inWords(fileLimitBytes) }),
    });
  }
  if (code === 'LIMIT_FIELD_VALUE') {
    return refuse('invalid-request', {
      message: reasonOf('form-field-large', { field, size: inWords(fieldLimitBytes) }),
    });
  }
  const most = countedLimits[code];
  if (most !== undefined) return refuse('invalid-request', { message: reasonOf('form-has-more', { most }) });
  return refuse('invalid-request', { message: reasonOf('form-incomplete') });
}

function formProblem(error: unknown): { readonly code: string; readonly field: string } {
  if (!(error instanceof Error)) return { code: '', field: '' };
  return {
    code: 'code' in error ? String(error.code) : '',
    field: 'field' in error ? String(error.field) : 'a field',
  };
}
