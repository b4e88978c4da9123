/** The form of an upload, as what it means (A-28, C-05 to C-08). */
import { z } from 'zod';
import { Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { readJson } from '../http/read-json.ts';
import type { UploadedFile } from '../http/route.ts';

/** The text fields that count; others are ignored (C-08). */
export const uploadFields = z.object({
  settings: z.string().optional(),
  pictureEditable: z.string().optional(),
  pictureDevice: z.string().optional(),
  forceUpload: z.string().optional(),
});

/** What somebody sends for a paper. */
export interface PictureUpload {
  /** The source picture: fitted to the frame and dithered. */
  readonly picture?: UploadedFile;
  /** A picture that is ready for the panel. `required`: one of another size is an error, not a picture to be fitted. */
  readonly device?: { readonly file: UploadedFile; readonly required: boolean };
  /** JSON text of the canvas that the picture was made from. */
  readonly editable?: Buffer;
  /** Goes into the paper's meta, name by name. */
  readonly settings?: Record<string, unknown>;
  /** Offers the picture to the frames although they have it already. */
  readonly force: boolean;
}

/** @throws Refusal that names the field */
export function readUpload(fields: z.output<typeof uploadFields>, files: readonly UploadedFile[]): PictureUpload {
  const named = (name: string): UploadedFile[] => files.filter(({ field }) => field === name);
  const unknown = files.find(({ field }) => !['picture', 'pictureDevice', 'pictureEditable'].includes(field));
  if (unknown !== undefined) {
    throw refuse('invalid-request', { message: `Unexpected file field ${unknown.field}`, hint: 'send picture' });
  }
  if (fields.pictureDevice !== undefined && fields.pictureDevice !== '') {
    throw refuse('invalid-request', { message: 'pictureDevice is a file', hint: 'send its bytes, with a file name' });
  }
  const [first, second, third] = named('picture');
  const [ready, another] = named('pictureDevice');
  if (third !== undefined) throw refuse('invalid-request', { message: 'More than two pictures' });
  if (another !== undefined) throw refuse('invalid-request', { message: 'More than one pictureDevice' });
  const picture = second ?? first;
  // C-05: older clients send the device image as the first of two pictures.
  const device =
    ready !== undefined
      ? { file: ready, required: true }
      : second !== undefined && first !== undefined
        ? { file: first, required: false }
        : undefined;
  const editable = readText('pictureEditable', named('pictureEditable')[0]?.bytes ?? fields.pictureEditable);
  const settings = readText('settings', fields.settings)?.value;
  if (settings !== undefined && !isObject(settings)) throw invalidJson('settings');
  return {
    ...(picture && { picture }),
    ...(device && { device }),
    ...(editable && { editable: editable.bytes }),
    // Its `meta` object, or else the object itself, goes into the paper's meta.
    ...(settings && { settings: isObject(settings.meta) ? settings.meta : settings }),
    force: fields.forceUpload === 'true' || fields.forceUpload === '1',
  };
}

/** JSON in a field of a form, judged like a body (T-18, T-34); undefined for an empty one. */
function readText(field: string, given: Buffer | string | undefined): { bytes: Buffer; value: unknown } | undefined {
  const bytes = Buffer.from(given ?? '');
  if (bytes.length === 0) return undefined;
  const read = readJson(bytes);
  if (read instanceof Refusal) throw invalidJson(field, read.message);
  return { bytes, value: read.value };
}

function invalidJson(field: string, hint?: string): Refusal {
  return refuse('invalid-json', { message: `Invalid JSON in ${field}`, ...(hint !== undefined && { hint }) });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
