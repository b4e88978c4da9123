/**
 * The picture that a frame already shows when it is first switched on: one from another server, or from an earlier
 * life.
 */
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { isFileVersion } from '../../firmware-protocol/versions.ts';
import { defaultSleepSeconds, digestOf, type SimulatedFrame } from './frame.ts';

/** A picture file in the form of the frame's panel, or one with what is known of it, such as the `glass` of another frame. */
export type FirstPicture =
  | Uint8Array
  | {
      readonly file: Uint8Array;
      /** The digest that the file must have, where it is given. */
      readonly sha256?: string;
      /** The version under which the frame holds it; a second of the time before its last sleep unless given. */
      readonly fileVersion?: number;
    };

/**
 * Returns the frame as it is with the picture on its glass and in its flash.
 * @param now epoch milliseconds
 * @throws Error for a file that does not fit the panel, and for an impossible digest or version
 */
export function showingFirst(frame: SimulatedFrame, picture: FirstPicture | undefined, now: number): SimulatedFrame {
  if (picture === undefined) return frame;
  const { file, ...more } = picture instanceof Uint8Array ? { file: picture } : picture;
  const read = unpackPicture(frame.panel, file);
  if ('problem' in read) throw new Error(`the picture of ${frame.serial} cannot be shown: ${read.problem}`);
  const sha256 = digestOf(file);
  if (more.sha256 !== undefined && more.sha256 !== sha256)
    throw new Error(`the picture of ${frame.serial} has the digest ${sha256}, not ${more.sha256}`);
  // Servers of this family number versions by the time at which they offered them.
  const { fileVersion = Math.floor(now / 1000) - defaultSleepSeconds } = more;
  if (!isFileVersion(fileVersion) || fileVersion === 0)
    throw new Error(`the picture of ${frame.serial} cannot have the version ${fileVersion}`);
  return { ...frame, fileVersion, picture: { file, sha256 }, glass: { shows: 'picture', file, sha256 } };
}
