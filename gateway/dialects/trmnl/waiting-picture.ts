/** The quiet sheets of frames that have no picture yet: one of any size for those that wait, one while a frame is set up. */
import type { ServerResponse } from 'node:http';
import { sizedPanel } from '../../../firmware-protocol/sized-panels.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { drawNeutral } from '../../pictures/neutral-picture.ts';
import { sayFile } from './say.ts';

/** The sheet that a frame shows while it is given its key: the only size and the only format that all firmware takes. */
export const setupSheetPath = '/setup.bmp';

/** The size of a frame that says none. */
const usual = { width: 800, height: 480 };
/** The number of sheets that are kept. */
const kept = 16;

/** Opens the sheets of one process. */
export function waitingPictures() {
  const drawn = new BoundedMap<string, Uint8Array>(kept);
  return {
    /** The path below the prefix, and the name, of the sheet for a frame. */
    addressFor({ width = usual.width, height = usual.height }: Pick<TrmnlCall, 'width' | 'height'>) {
      const size = sizedPanel(`mono-${width}x${height}`) === undefined ? '800x480' : `${width}x${height}`;
      return { path: `/waiting-${size}.png`, name: `pgate-waiting-${size}` };
    },

    /** Answers a request for a sheet; false when it is for something else. */
    serve(path: string, response: ServerResponse): boolean {
      if (path === setupSheetPath) {
        sayFile(response, 'image/bmp', setupSheet());
        return true;
      }
      const size = /^\/waiting-(\d{2,4}x\d{2,4})\.png$/.exec(path)?.[1];
      const panel = size === undefined ? undefined : sizedPanel(`mono-${size}`);
      if (panel === undefined) return false;
      const sheet = drawn.get(panel.name) ?? drawNeutral(panel);
      drawn.set(panel.name, sheet);
      sayFile(response, 'image/png', sheet);
      return true;
    },
  };
}

const bitmapHeader = 62;
const rowBytes = 100;

/**
 * A white sheet of 800x480 as a bitmap of 48,062 bytes, one bit a pixel, black before white: firmware before 1.8.2 takes no
 * other file while it is set up.
 */
function setupSheet(): Uint8Array {
  const { width, height } = usual;
  const file = Buffer.alloc(bitmapHeader + rowBytes * height, 0xff);
  file.fill(0, 0, bitmapHeader);
  file.write('BM', 0, 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(bitmapHeader, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(1, 28);
  file.writeUInt32LE(rowBytes * height, 34);
  file.writeUInt32LE(2, 46);
  file.writeUInt32LE(2, 50);
  file.writeUInt32LE(0x00ffffff, 58);
  return file;
}
