/** Takes a content submission: refused early from its headers, or durably accepted. */

import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { contentHash, findRequest, type RequestRow } from '../delivery-state/requests.ts';
import { cutMark } from '../http/cut-text.ts';
import { wrongField } from '../http/fit-schema.ts';
import { countInAll } from '../http/limit-rate.ts';
import type { FileContent, UploadedFile } from '../http/uploaded-file.ts';
import { slowSeconds, tooManyPixels } from '../images/normalize-image.ts';
import { authenticateFacts, authorizationOf } from '../integration/authorize.ts';
import type { ConnectionRow } from '../integration/connections.ts';
import { acceptIntake, acceptText, type Intake, openIntake } from './accept-content.ts';
import type { ContentDeps } from './content-deps.ts';
import { decodeImageBase64 } from './image-base64.ts';

/** Lengths count UTF-16 units everywhere: an emoji outside the basic plane counts two (INV-14). */
const maxMessageIdLength = 128;
const maxTextLength = 1_000;

/**
 * Text that both databases keep as it is: no NUL, no half of a surrogate pair (T-34). The schema's own `max` counts
 * code points; it stands in the contract, and the units are counted besides.
 */
function storableText(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((text) => text.length <= longest && !/[\0\p{Surrogate}]/u.test(text), wrongField('field-not-storable'));
}

/** The body of a submission. Absent, null and empty text are the same (D-5), and so are an absent image and null. */
export const submissionSchema = z.object({
  messageId: storableText(maxMessageIdLength).min(1),
  text: storableText(maxTextLength).nullish(),
  imageBase64: z.string().nullish(),
});

type SubmissionBody = z.output<typeof submissionSchema>;

/** A submission whose fields have the right types and lengths, with the picture as it was before it became text. */
export interface Submission extends Omit<SubmissionBody, 'imageBase64'> {
  readonly image: FileContent | undefined;
}

/**
 * The submission's picture as a file, and the rest.
 * @param text the picture's text where a mark stands for it in the body
 * @throws Refusal `invalid-image`
 */
export function takeOutImage(
  { imageBase64, ...body }: SubmissionBody,
  text?: Buffer,
): {
  body: SubmissionBody;
  files: UploadedFile[];
} {
  if (imageBase64 === undefined || imageBase64 === null) return { body, files: [] };
  const content = decodeImageBase64(imageBase64 === cutMark && text !== undefined ? text : imageBase64);
  if (content === undefined) throw refuse('invalid-image');
  return { body, files: [{ field: 'imageBase64', content }] };
}

/**
 * Decides from path and headers alone, in the order of D-11: 401, 429, 403, 503. The limit counts only after the token
 * is verified, so that knowing a connection's id uses up nothing (INV-65).
 */
export async function admitSubmission(
  deps: ContentDeps,
  connectionId: string,
  headers: IncomingHttpHeaders,
): Promise<ConnectionRow> {
  const facts = await authenticateFacts(deps.db, connectionId, headers.authorization);
  const { connection } = facts;
  await countInAll([
    [deps.limits.content, connection.id],
    [deps.limits.organizationContent, facts.allowance],
  ]);
  const authorization = authorizationOf(facts, deps.settings);
  if (!authorization.ok) throw refuse(authorization.code);
  if (!deps.settings.processingEnabled) throw refuse('integration-disabled');
  return connection;
}

/**
 * Accepts content. Returns after everything that the answer promises is durable: the picture's file and folder first,
 * then the rows (INV-02). An identical retry gets the request that exists.
 * @throws Refusal `text-or-image-required`, `unsupported-image`, `message-id-used`; and those of
 *   `admitSubmission` when they came to hold while the body was under way
 * @param caller its signal ends a submission whose image still waits to be decoded
 */
export async function submitContent(
  deps: ContentDeps,
  connection: ConnectionRow,
  submission: Submission,
  caller: { readonly signal: AbortSignal },
): Promise<RequestRow> {
  const { messageId, image } = submission;
  const text = submission.text ?? '';
  if (image === undefined && text.trim() === '') throw refuse('text-or-image-required');
  const intake = { messageId, text, contentHash: await contentHash(text, image) };
  // A text is looked up when it is accepted. A picture that is here already is not decoded again.
  const known = image === undefined ? undefined : await findRequest(deps.db, connection, messageId, deps.clock.now());
  if (known !== undefined && known.content_hash === intake.contentHash && known.state !== 'receiving') {
    return known;
  }
  // The picture is judged before the message id is looked at again: 400 goes before 409, and a refused picture reserves
  // no id (INV-09).
  const png = image === undefined ? undefined : await normalized(deps, connection, image, caller.signal);
  await deps.at?.('intake.checked');
  const accepted =
    png === undefined ? await acceptText(deps, connection, intake) : await acceptPicture(deps, connection, intake, png);
  await deps.at?.('acceptance.committed');
  deps.nudge();
  const { id: requestId, paper_id: paperId, sequence, state } = accepted;
  deps.logger.info({ requestId, paperId, connectionId: connection.id, sequence, state }, 'content accepted');
  return accepted;
}

/** The intake is opened first: while its file is written nobody else can take the message id (INV-11). */
async function acceptPicture(
  deps: ContentDeps,
  connection: ConnectionRow,
  intake: Intake,
  png: Buffer,
): Promise<RequestRow> {
  const opened = await openIntake(deps, connection, intake);
  if (opened.state !== 'receiving') return opened;
  await deps.at?.('intake.receiving');
  const { organization_id } = connection;
  return acceptIntake(deps, connection, opened, await deps.files.put(png, organization_id));
}

async function normalized(
  deps: ContentDeps,
  connection: ConnectionRow,
  image: FileContent,
  signal: AbortSignal,
): Promise<Buffer> {
  const result = await deps.normalizeImage(image, { sharer: [connection.organization_id, connection.id], signal });
  if (result.ok) return result.bytes;
  if (result.problem === 'too-slow') throw refuse('unavailable', { retryAfterSeconds: slowSeconds });
  if (result.problem === 'too-many-pixels') throw refuse('unsupported-image', { hint: tooManyPixels });
  const isOfPhone = result.problem === 'unsupported' && result.announced !== undefined;
  throw refuse('unsupported-image', isOfPhone ? { hint: reasonOf('convert-picture') } : {});
}
