/**
 * The ground truth, which does not depend on any report: the content that was pushed, and the pictures that each glass
 * really showed.
 */
import { type Orientation, type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import type { PushedContent } from './backend.ts';
import type { FrameBody } from './device.ts';
import { drawing, normalized, screenshot, sha256Hex } from './drawing.ts';
import { orientation } from './home.ts';

/** A message id stands for its first content for this long. */
const keptMs = 30 * 86_400_000;

/** Answers questions about what really happened. */
export interface GroundTruth {
  /**
   * Returns the message of a request as its sender composed it. After 30 days an id is free for another message
   * (INV-13).
   */
  submission(request: {
    readonly message_id: string;
    readonly text: string;
    readonly created_at: number;
  }): PushedContent | undefined;
  /** Returns the digest of a message's picture on frames of a kind. */
  pictureOf(submission: PushedContent, kind: string): string;
  /** Returns the digest of the picture of an image that was sent to a frame itself. */
  sentPicture(image: Uint8Array, kind: string, hangs: Orientation): string;
  /** Tells whether a device of this serial showed these bytes at some moment since then. */
  showed(serial: string, digest: string, since: number): boolean;
  /** Tells whether several devices have this identity, and nothing in their messages tells them apart (T-47). */
  isDoubled(serial: string): boolean;
  /** Tells whether exactly one device has this identity, and does what its firmware does. */
  isHonest(serial: string): boolean;
  /** Tells whether a frame may show something else without anybody but its owner being able to notice. */
  isBlind(serial: string): boolean;
  /** Returns what the devices of a serial show now. */
  showsNow(serial: string): readonly string[];
}

/** Opens the ground truth over all messages and over all devices, clones among them. */
export function groundTruth(submissions: () => Iterable<PushedContent>, bodies: readonly FrameBody[]): GroundTruth {
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
    sentPicture: (image, kind, hangs) => pictureOn(normalized(image) as Buffer, kind, hangs),
    showed(serial, digest, since) {
      return bodies.some((body) => {
        if (body.serial !== serial) return false;
        return body.shown.some(
          ({ what }, at) => what === digest && (body.shown[at + 1]?.at ?? Number.POSITIVE_INFINITY) >= since,
        );
      });
    },
    isDoubled: (serial) => of(serial).length > 1 && of(serial).every((body) => body.state().dialect === 'classic'),
    isHonest: (serial) => of(serial).length === 1 && of(serial).every((body) => body.isHonest && !body.isBlind()),
    isBlind: (serial) => of(serial).some((body) => body.isBlind()),
    showsNow: (serial) => of(serial).map(({ shown }) => shown.at(-1)?.what ?? ''),
  };
}
