/**
 * The ground truth, which does not depend on any report: the content that was pushed, and the pictures that each glass
 * really showed.
 */
import { type Orientation, type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import type { FrameBody, ShownPicture } from './bodies/device.ts';
import type { PushedContent } from './compose-message.ts';
import { orientation } from './home.ts';
import { drawing, normalized, type PageContent, screenshot, sha256Hex } from './machine/drawing.ts';

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
  /** Returns whether a device of this serial showed these bytes at some moment since then, and up to `until`. */
  showed(serial: string, digest: string, since: number, until?: number): boolean;
  /** Returns whether all devices of this serial sleep. */
  sleeps(serial: string): boolean;
  /** Returns whether several devices have this identity, and nothing in their messages tells them apart (T-47). */
  isDoubled(serial: string): boolean;
  /** Returns whether exactly one device has this identity, and does what its firmware does. */
  isHonest(serial: string): boolean;
  /** Returns whether a frame may show something else without anybody but its owner being able to notice. */
  isBlind(serial: string): boolean;
  /** Returns what the devices of a serial show now. */
  showsNow(serial: string): readonly string[];
}

/** Opens the ground truth over all messages and over all devices, clones among them. */
export function groundTruth(
  sentAs: (messageId: string) => readonly PushedContent[],
  bodies: readonly FrameBody[],
): GroundTruth {
  const of = bySerial(bodies);
  const pictureOn = (image: Uint8Array, kind: string, hangs: Orientation = orientation): string =>
    sha256Hex(drawing(image, panelOfKind(kind) as Panel, hangs));
  const pictures = new WeakMap<PageContent, Map<string, string>>();
  return {
    submission({ message_id: messageId, text, created_at: createdAt }) {
      const [first, ...others] = sentAs(messageId);
      if (first === undefined || createdAt - first.sentAt < keptMs) return first;
      return [first, ...others].find(({ content }) => content.text === text) ?? first;
    },
    pictureOf({ paperId, content }, kind) {
      const known = pictures.get(content) ?? new Map<string, string>();
      pictures.set(content, known);
      const key = `${paperId} ${kind}`;
      const digest = known.get(key) ?? pictureOn(screenshot(paperId, content), kind);
      known.set(key, digest);
      return digest;
    },
    sentPicture: (image, kind, hangs) => pictureOn(normalized(image) as Buffer, kind, hangs),
    showed(serial, digest, since, until = Number.POSITIVE_INFINITY) {
      const endOf = (next: ShownPicture | undefined): number => next?.at ?? Number.POSITIVE_INFINITY;
      return of(serial).some(({ shown }) =>
        shown.some(({ what, at }, place) => what === digest && endOf(shown[place + 1]) >= since && at <= until),
      );
    },
    sleeps: (serial) => of(serial).every((body) => body.state().asleep),
    isDoubled: (serial) => of(serial).length > 1 && of(serial).every((body) => body.state().dialect === 'classic'),
    isHonest: (serial) => of(serial).length === 1 && of(serial).every((body) => body.isHonest && !body.isBlind()),
    isBlind: (serial) => of(serial).some((body) => body.isBlind()),
    showsNow: (serial) => of(serial).map(({ shown }) => shown.at(-1)?.what ?? ''),
  };
}

/** Returns the devices of each serial. Devices are only added to the list, at its end. */
export function bySerial(bodies: readonly FrameBody[]): (serial: string) => readonly FrameBody[] {
  const known = new Map<string, FrameBody[]>();
  let read = 0;
  return (serial) => {
    for (; read < bodies.length; read++) {
      const body = bodies[read] as FrameBody;
      known.set(body.serial, [...(known.get(body.serial) ?? []), body]);
    }
    return known.get(serial) ?? [];
  };
}
