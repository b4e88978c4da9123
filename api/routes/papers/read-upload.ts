/** Reads the form of an upload to a paper. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { Refusal, refuse } from '../../../reasons/refusals.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import { deadlineField } from '../../deadlines/deadline-of-upload.ts';
import { readJson } from '../../http/read-json.ts';
import { cutNames } from '../../http/short-names.ts';
import { readContent, type UploadedFile } from '../../http/uploaded-file.ts';
import { metaIsRead } from '../../papers/paper-meta.ts';
import { showFromMeans, showUntilMeans } from '../../timed-pictures/schedule-picture.ts';
import type { PictureUpload } from '../../uploads/store-picture.ts';

/** The text fields that matter; others are ignored (C-08). */
export const uploadFields = z.object({
  settings: z.string().describe(`JSON that is merged into the paper's meta. ${metaIsRead}`).optional(),
  pictureEditable: z.string().optional(),
  pictureDevice: z.string().optional(),
  forceUpload: z.string().optional(),
  showFrom: z.string().describe(showFromMeans).optional(),
  showUntil: z.string().describe(showUntilMeans).optional(),
  deadline: deadlineField,
});

/**
 * The file fields that matter. `file` is what the printer bridge calls its picture unless configured otherwise (C-08).
 */
const fileFields: readonly string[] = ['picture', 'file', 'pictureDevice', 'pictureEditable'];

/**
 * Reads the form.
 * @throws Refusal that names the field
 */
export async function readUpload(
  fields: z.output<typeof uploadFields>,
  files: readonly UploadedFile[],
): Promise<PictureUpload> {
  const named = (...names: string[]): UploadedFile[] => files.filter(({ field }) => names.includes(field));
  const unknown = files.find(({ field }) => !fileFields.includes(field));
  if (unknown !== undefined) {
    throw refuse('invalid-request', { message: `Unexpected file field ${unknown.field}`, hint: 'send picture' });
  }
  if (fields.pictureDevice !== undefined && fields.pictureDevice !== '') {
    throw refuse('invalid-request', { message: 'pictureDevice is a file', hint: 'send its bytes, with a file name' });
  }
  const [first, second, third] = named('picture', 'file');
  const [ready, another] = named('pictureDevice');
  if (third !== undefined) throw refuse('invalid-request', { message: reasonOf('pictures-two') });
  if (another !== undefined) throw refuse('invalid-request', { message: reasonOf('device-pictures-two') });
  const picture = second ?? first;
  const editable = named('pictureEditable')[0]?.content ?? Buffer.from(fields.pictureEditable ?? '');
  const hasEditable = readText('pictureEditable', await readContent(editable)) !== undefined;
  // Editors send the device image as the first of two pictures, the vendor's editor together with its canvas (C-05).
  const device =
    ready !== undefined
      ? { file: ready, required: true, isFromEditor: false }
      : second !== undefined && first !== undefined
        ? { file: first, required: false, isFromEditor: hasEditable }
        : undefined;
  const settings = readText('settings', Buffer.from(fields.settings ?? ''))?.value;
  if (settings !== undefined && !isRecord(settings)) throw invalidJson('settings');
  return {
    ...(picture && { picture }),
    ...(device && { device }),
    ...(hasEditable && { editable }),
    // The `meta` object of the field, or else the object itself, goes into the paper's meta.
    // A picture is not refused for the name that comes with it (C-63).
    ...(settings && { settings: cutNames(isRecord(settings.meta) ? settings.meta : settings, ['name', 'title']) }),
    force: fields.forceUpload === 'true' || fields.forceUpload === '1',
  };
}

/** Reads JSON in a field of a form, judged like a body (T-18); undefined for an empty field. */
function readText(field: string, bytes: Buffer): { readonly value: unknown } | undefined {
  if (bytes.length === 0) return undefined;
  const read = readJson(bytes);
  if (read instanceof Refusal) throw invalidJson(field, read.message);
  return read;
}

function invalidJson(field: string, hint?: string): Refusal {
  return refuse('invalid-json', { message: `Invalid JSON in ${field}`, ...(hint !== undefined && { hint }) });
}
