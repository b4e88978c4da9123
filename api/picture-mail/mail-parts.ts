/** Plans which parts of a message are fetched, by its structure alone. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { plain } from '../../runtime/plain-lines.ts';

/** A node of a message as IMAP's BODYSTRUCTURE describes it. */
export interface MailPart {
  readonly part?: string | undefined;
  readonly type: string;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly id?: string | undefined;
  readonly encoding?: string | undefined;
  readonly size?: number | undefined;
  readonly disposition?: string | undefined;
  readonly dispositionParameters?: Readonly<Record<string, string>> | undefined;
  readonly childNodes?: readonly MailPart[] | undefined;
}

/** A part that is fetched, because it is a picture or looks like one. */
export interface PlannedPicture {
  readonly part: string;
  readonly name: string;
  /** The bytes once they are decoded, as far as the structure says. */
  readonly bytes: number;
  /** The picture stands in the text, as logos do; one that is small in pixels is left out later. */
  readonly isInline: boolean;
}

/** A file that is left out, with its reason. */
export interface LeftOutPart {
  readonly name: string;
  readonly reason: Reason;
}

export interface PartsPlan {
  readonly pictures: readonly PlannedPicture[];
  /** The part with the first words. */
  readonly text: { readonly part: string; readonly isHtml: boolean } | undefined;
  readonly leftOut: readonly LeftOutPart[];
}

/** The limits of one message. */
export const mailLimits = { bytes: 25_000_000, pictures: 20, parts: 500, named: 20, logoBytes: 20_000 } as const;

const maxDepth = 20;
const maxNameLength = 100;
const pictureEnding = /\.(?:jpe?g|png|webp|gif|hei[cf]s?|avif|tiff?|bmp)$/i;

/** A leaf of the structure. */
interface Leaf {
  readonly node: MailPart;
  readonly part: string;
  /** How many forwarded messages it is within. */
  readonly within: number;
}

/** Plans a message. What exceeds a limit is named or counted. */
export function planParts(structure: MailPart): PartsPlan {
  const { leaves, more } = leavesOf(structure);
  const pictures: PlannedPicture[] = [];
  const leftOut: LeftOutPart[] = [];
  let [bytes, surplus] = [0, more];
  for (const leaf of leaves) {
    const reason = reasonAgainst(leaf.node);
    if (reason === 'not a file') continue;
    const picture = {
      part: leaf.part,
      name: nameOf(leaf.node),
      bytes: decodedBytes(leaf.node),
      isInline: isInline(leaf),
    };
    const full = bytes + picture.bytes > mailLimits.bytes;
    if (reason === undefined && pictures.length >= mailLimits.pictures) surplus++;
    else if (reason === undefined && !full) {
      bytes += picture.bytes;
      pictures.push(picture);
    } else if (leftOut.length < mailLimits.named) {
      const tooLarge = reasonOf('album-source-left-out-mail-bytes', { most: mailLimits.bytes / 1_000_000 });
      leftOut.push({ name: picture.name, reason: reason ?? tooLarge });
    } else surplus++;
  }
  if (surplus > 0) {
    const reason = reasonOf('album-source-left-out-count', { count: surplus, most: mailLimits.pictures });
    leftOut.push({ name: '', reason });
  }
  return { pictures, text: textOf(leaves), leftOut };
}

/** Returns the leaves in their order, within one forwarded message at most, and how many were not looked at. */
function leavesOf(structure: MailPart): { readonly leaves: readonly Leaf[]; readonly more: number } {
  const leaves: Leaf[] = [];
  let [nodes, more] = [0, 0];
  const walk = (node: MailPart, depth: number, within: number): void => {
    nodes++;
    const isMessage = node.type === 'message/rfc822' && depth > 0;
    const inner = isMessage ? within + 1 : within;
    if (nodes > mailLimits.parts || depth > maxDepth || inner > 1) more++;
    else if (node.childNodes !== undefined) for (const child of node.childNodes) walk(child, depth + 1, inner);
    else if (!node.type.startsWith('multipart/') && !isMessage) leaves.push({ node, part: node.part ?? '1', within });
  };
  walk(structure, 0, 0);
  return { leaves, more };
}

/** Says why a leaf is not fetched; undefined for a picture, and for what may be one by its bytes. */
function reasonAgainst(node: MailPart): Reason | 'not a file' | undefined {
  const { type } = node;
  const name = nameOf(node);
  if (type === 'application/ms-tnef' || /^winmail\.dat$/i.test(name)) {
    return reasonOf('album-source-left-out-winmail');
  }
  if (type.startsWith('video/')) return reasonOf('album-source-left-out-video');
  const isAttached = node.disposition === 'attachment';
  const isText = type.startsWith('text/') || type.startsWith('message/');
  if (isText && !isAttached) return 'not a file';
  if (/signature|pgp-encrypted|applefile/.test(type)) return 'not a file';
  const isPicture = type.startsWith('image/') && !type.startsWith('image/svg');
  if (!isPicture && type !== 'application/octet-stream' && (isText || !pictureEnding.test(name))) {
    return reasonOf('album-source-left-out-type');
  }
  const isSmall = decodedBytes(node) < mailLimits.logoBytes && (node.disposition === 'inline' || node.id !== undefined);
  return isSmall && !isAttached ? 'not a file' : undefined;
}

const isInline = ({ node }: Leaf): boolean => node.disposition !== 'attachment' && node.id !== undefined;

/** Returns the part with the first words: plain text if there is any, of the message itself before a forwarded one. */
function textOf(leaves: readonly Leaf[]): PartsPlan['text'] {
  const texts = leaves.filter(
    ({ node }) => node.disposition !== 'attachment' && /^text\/(?:plain|html)$/.test(node.type),
  );
  const rank = ({ node, within }: Leaf): number => within * 2 + (node.type === 'text/html' ? 1 : 0);
  const [first] = texts.toSorted((a, b) => rank(a) - rank(b));
  return first && { part: first.part, isHtml: first.node.type === 'text/html' };
}

/** Returns the bytes once decoded: base64 makes four of three, and adds line breaks. */
function decodedBytes({ encoding, size = 0 }: MailPart): number {
  return encoding?.toLowerCase() === 'base64' ? Math.floor((size * 3 * 76) / (4 * 78)) : size;
}

/** Returns the name of a file, harmless, without folders. */
function nameOf({ dispositionParameters, parameters }: MailPart): string {
  const name = dispositionParameters?.filename ?? parameters?.name ?? '';
  return plain(name.slice(-1_000)).split(/[\\/]/).at(-1)?.trim().slice(-maxNameLength) ?? '';
}
