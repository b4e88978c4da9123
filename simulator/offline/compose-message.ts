/** Composes what a simulated integration pushes. */
import type { Principal } from '../../api/access/principal.ts';
import type { Credentials, PushedContent } from './backend.ts';
import type { Chance } from './chance.ts';
import { drawnContent, normalized, sha256Hex } from './drawing.ts';

/** Where a message comes from. */
interface MessageOrigin extends Pick<PushedContent, 'paperId' | 'sentAt'> {
  readonly credentials: Credentials;
  readonly member: Principal;
  /** The number of the message among those of its backend. */
  readonly number: number;
}

/** Makes a message: a given text, or what is drawn: a text, an image, or both. */
export function composed(
  { credentials, member, number, paperId, sentAt }: MessageOrigin,
  chance: Chance,
  given: string | undefined,
): PushedContent {
  const { text, image } = given === undefined ? drawnContent(chance) : { text: given, image: undefined };
  const png = image && normalized(image);
  const { connectionId } = credentials;
  // A part of the id tells the few connections of a drawn home apart, and not ten thousand of a given fleet.
  const tail = given === undefined ? connectionId.slice(-4) : connectionId;
  return {
    messageId: `${tail}-${member.accountId.slice(-2)}-${number}`,
    paperId,
    credentials,
    content: { text, imageKey: png && sha256Hex(png) },
    imageBase64: image?.toString('base64'),
    sentAt,
    requestId: undefined,
    isOpen: true,
    isStubborn: given !== undefined,
  };
}
