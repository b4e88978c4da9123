/** Takes a content submission: refused early from its headers, or durably accepted (D-11, A-31, INV-01, INV-02). */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { acceptIntake, acceptText, type Intake, openIntake } from './accept-content.ts';
import { authenticateStanding, stillAuthorized } from './authorize.ts';
import type { ConnectionRow } from './connections.ts';
import type { IntegrationEdges } from './edges.ts';
import { decodeImageBase64 } from './image-base64.ts';
import { contentHash, findRequest, type RequestRow } from './requests.ts';

/** Lengths count UTF-16 units everywhere: an emoji outside the basic plane counts two (INV-14). */
const longestMessageId = 128;
const longestText = 1_000;

/**
 * Text that both databases keep as it is: no NUL, no half of a surrogate pair (T-34). The schema's own `max` counts code
 * points; it stands in the contract, and the units are counted besides.
 */
function storableText(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((text) => text.length <= longest && !/[\0\p{Surrogate}]/u.test(text), 'too long, or not storable text');
}

/** The body of a submission. Absent, null and empty text are the same (D-5). */
export const submissionSchema = z.object({
  messageId: storableText(longestMessageId).min(1),
  text: storableText(longestText).nullish(),
  imageBase64: z.string().optional(),
});

/** A submission whose fields have the right types and lengths. */
export type Submission = z.output<typeof submissionSchema>;

/**
 * Decides from path and headers alone, in the order of D-11: 401, 429, 403, 503. The limit counts only after the token
 * is verified, so that knowing a connection's id uses up nothing (INV-65).
 */
export async function admitSubmission(
  edges: IntegrationEdges,
  connectionId: string,
  headers: IncomingHttpHeaders,
): Promise<ConnectionRow> {
  const standing = await authenticateStanding(edges.db, connectionId, headers.authorization);
  const { connection } = standing;
  await edges.limits.content.count(connection.id);
  const authorization = stillAuthorized(standing, edges.settings);
  if (authorization !== 'yes') throw refuse(authorization);
  if (!edges.settings.processingEnabled) throw refuse('integration-disabled');
  return connection;
}

/**
 * Accepts content. Returns after everything that the answer promises is durable: the picture's file and folder first,
 * then the rows (INV-02, INV-03). An identical retry gets the request that exists (INV-05, INV-08).
 * @throws Refusal `text-or-image-required`, `invalid-image`, `unsupported-image`, `message-id-used`; and those of
 *   `admitSubmission` when they came to hold while the body was under way
 */
export async function submitContent(
  edges: IntegrationEdges,
  connection: ConnectionRow,
  submission: Submission,
): Promise<RequestRow> {
  const { messageId, imageBase64 } = submission;
  const text = submission.text ?? '';
  if (imageBase64 === undefined && text.trim() === '') throw refuse('text-or-image-required');
  const image = imageBase64 === undefined ? undefined : decodeImageBase64(imageBase64);
  if (imageBase64 !== undefined && image === undefined) throw refuse('invalid-image');
  const intake = { messageId, text, contentHash: contentHash(text, image) };
  const known = await findRequest(edges.db, connection, messageId, edges.clock.now());
  if (known !== undefined && known.content_hash === intake.contentHash && known.state !== 'receiving') {
    return known;
  }
  // Before the message id is looked at again: 400 goes before 409, and a refused picture reserves no id (INV-09).
  const png = image === undefined ? undefined : await normalized(edges, image);
  await edges.at?.('intake.checked');
  const accepted =
    png === undefined
      ? await acceptText(edges, connection, intake)
      : await acceptPicture(edges, connection, intake, png);
  await edges.at?.('acceptance.committed');
  edges.nudge();
  const { id: requestId, paper_id: paperId, sequence, state } = accepted;
  edges.logger.info({ requestId, paperId, connectionId: connection.id, sequence, state }, 'content accepted');
  return accepted;
}

/** The intake is opened first: while its file is written nobody else can take the message id (INV-05, INV-11). */
async function acceptPicture(
  edges: IntegrationEdges,
  connection: ConnectionRow,
  intake: Intake,
  png: Buffer,
): Promise<RequestRow> {
  const opened = await openIntake(edges, connection, intake);
  if (opened.state !== 'receiving') return opened;
  await edges.at?.('intake.receiving');
  return acceptIntake(edges, connection, opened, await edges.files.put(png));
}

async function normalized(edges: IntegrationEdges, image: Buffer): Promise<Buffer> {
  const result = await edges.normalizeImage(image);
  if (!result.ok) throw refuse('unsupported-image');
  return result.png;
}
