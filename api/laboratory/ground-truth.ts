/** The truth that no report can bend: what was pushed, and what each glass really showed. */
import { type Orientation, type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import type { Submission } from './backend.ts';
import { drawing, normalized, screenshot, sha256Hex } from './drawing.ts';
import type { FrameBody } from './frame-body.ts';
import { orientation } from './home.ts';

/** How long a message id stands for its first content. */
const keptMs = 30 * 86_400_000;

export interface GroundTruth {
  /** The message of a request's id, as its sender composed it. After 30 days an id is free for another (INV-13). */
  submission(request: {
    readonly message_id: string;
    readonly text: string;
    readonly created_at: number;
  }): Submission | undefined;
  /** Digest of the picture of a message on frames of a kind. */
  pictureOf(submission: Submission, kind: string): string;
  /** Digest of the picture of an image that was sent to a frame itself. */
  sentPicture(image: Uint8Array, kind: string): string;
  /** Whether a device under this serial showed these bytes at some moment from then to now. */
  showed(serial: string, digest: string, since: number): boolean;
  /** Whether two devices have this identity, and nothing in what they say tells them apart (T-47). */
  isDoubled(serial: string): boolean;
  /** Whether this identity is that of one device that does what its firmware does. */
  isHonest(serial: string): boolean;
  /** What the devices under a serial show now. */
  showsNow(serial: string): readonly string[];
}

/** @param bodies every device, clones among them */
export function groundTruth(submissions: () => Iterable<Submission>, bodies: readonly FrameBody[]): GroundTruth {
  const of = (serial: string): FrameBody[] => bodies.filter((body) => body.serial === serial);
  const pictureOn = (image: Uint8Array, kind: string, hangs: Orientation = orientation): string =>
    sha256Hex(drawing(image, panelOfKind(kind) as Panel, hangs));
  return {
    submission({ message_id: messageId, text, created_at: createdAt }) {
      const [first, ...others] = [...submissions()].filter((submission) => submission.messageId === messageId);
      if (first === undefined || createdAt - first.sentAt < keptMs) return first;
      return [first, ...others].find(({ content }) => content.text === text) ?? first;
    },
    pictureOf: ({ paperId, content }, kind) => pictureOn(screenshot(paperId, content), kind),
    // No paper says how it hangs.
    sentPicture: (image, kind) => pictureOn(normalized(image) as Buffer, kind, 'portrait'),
    showed(serial, digest, since) {
      return bodies.some((body) => {
        if (body.serial !== serial) return false;
        return body.shown.some(
          ({ what }, at) => what === digest && (body.shown[at + 1]?.at ?? Number.POSITIVE_INFINITY) >= since,
        );
      });
    },
    isDoubled: (serial) => of(serial).length > 1 && of(serial).every((body) => body.state().dialect === 'classic'),
    isHonest: (serial) => of(serial).length === 1 && of(serial).every(({ isHonest }) => isHonest),
    showsNow: (serial) => of(serial).map(({ shown }) => shown.at(-1)?.what ?? ''),
  };
}
