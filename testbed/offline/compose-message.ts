/** Composes what a simulated integration pushes. */
import type { Principal } from '../../api/access/principal.ts';
import type { Chance } from './machine/chance.ts';
import { drawnContent, normalized, type PageContent, sha256Hex } from './machine/drawing.ts';

/** The answer to the exchange of a grant. */
export interface Credentials {
  readonly connectionId: string;
  readonly token: string;
}

/** A message and everything that its sender knows about it. */
export interface PushedContent {
  readonly messageId: string;
  readonly paperId: string;
  readonly credentials: Credentials;
  readonly content: PageContent;
  readonly imageBase64: string | undefined;
  readonly sentAt: number;
  /** The id in the service's 202; undefined until the sender received that answer. */
  requestId: string | undefined;
  /** The sender has no definite answer yet and still tries. */
  isOpen: boolean;
  /** True for a sender that never gives up. */
  readonly isStubborn: boolean;
}

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
