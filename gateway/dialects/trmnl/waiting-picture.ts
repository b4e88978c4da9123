/**
 * The quiet sheets of frames that have no picture yet: one for each panel, in the form that its decoder draws. Strangers ask
 * for them, too, so that only those are drawn which some frame may need (W-43).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { panelOfCall, panelsOfModels } from '../../../firmware-protocol/trmnl/models.ts';
import { nameCharacters } from '../../../firmware-protocol/trmnl/picture-name.ts';
import { isFirmwareFrom } from '../../../firmware-protocol/trmnl/versions.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { fairShares } from '../../../runtime/fair-shares.ts';
import { isPanelOfAny } from '../../adoption/waiting-frames.ts';
import { countPerMinute } from '../../identity/count-per-minute.ts';
import { drawNeutral, isNeutralDrawn } from '../../pictures/neutral-picture.ts';
import type { PolledDeps } from '../dialect.ts';
import { sayFile, sayJson } from './say.ts';

/** The sheet that a frame shows while it is given its key: the only size and the only format that all firmware takes. */
const setupSheetPath = '/setup.bmp';

/** The panel of a frame that reports none. */
const usual = { kind: 'mono-800x480', width: 800, height: 480 };
/** The panels that are remembered because a frame was sent their sheet. */
const remembered = 512;
/** The sheets of other panels that are looked for and drawn for one caller in a minute; one that was drawn lately costs nothing. */
const newPerMinute = 12;

/** The characters of a panel's name that have room in the name of a sheet. */
const nameRoom = nameCharacters - 'pgate-waiting-'.length;

/** The dependencies of the sheets: the frames that wait are in the database, where other nodes record them, too. */
type SheetDeps = Pick<PolledDeps, 'db' | 'clock' | 'addressOf'>;

/** Opens the sheets of one process. */
export function waitingPictures({ db, clock, addressOf }: SheetDeps) {
  const told = new BoundedMap<string, true>(remembered);
  const drawing = fairShares({ atOnce: 1 });
  const count = countPerMinute(clock);

  function kindFor(call: Parameters<typeof panelOfCall>[0]): string {
    const kind = panelOfCall(call);
    return panelOfKind(kind ?? '')?.packing === 'png' ? (kind as string) : usual.kind;
  }

  /** Returns whether a frame with this panel was sent a sheet, at this node or another one. */
  async function isTold(kind: string): Promise<boolean> {
    if (told.has(kind)) return true;
    const isOfFrame = await isPanelOfAny(db, kind);
    if (isOfFrame) told.set(kind, true);
    return isOfFrame;
  }

  async function sheet(kind: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const panel = panelOfKind(kind);
    if (panel?.packing !== 'png') return sayJson(response, 404, '{"status":404}');
    const isCommon = panelsOfModels.has(kind) || (isNeutralDrawn(panel) && told.has(kind));
    const caller = addressOf?.(request) ?? '';
    if (!isCommon) {
      if (count(caller) > newPerMinute) return sayJson(response, 429, '{"status":429}');
      if (!(await isTold(kind))) return sayJson(response, 404, '{"status":404}');
    }
    const { file } = await drawing.run([caller], () => drawNeutral(panel));
    sayFile(response, 'image/png', file);
  }

  return {
    /** The path below the prefix, and the name, of the sheet for a frame. */
    addressFor(call: TrmnlCall) {
      const kind = kindFor(call);
      told.set(kind, true);
      const short = shortNameOf(kind);
      return { path: `/waiting-${short}.png`, name: `pgate-waiting-${short.slice(-nameRoom)}` };
    },

    /**
     * The path of the sheet for a frame that is given its key. Firmware before 1.8.2 takes the bitmap alone, which later one
     * writes beyond its memory where the panel is larger.
     */
    setupPathFor(call: Pick<TrmnlCall, 'model' | 'firmware' | 'width' | 'height'>): string {
      return isFirmwareFrom(call.firmware, [1, 8, 2]) ? `/waiting-${shortNameOf(kindFor(call))}.png` : setupSheetPath;
    },

    /** Answers a request for a sheet; undefined when it is for something else. */
    serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
      const name = /^\/waiting-([a-z0-9-]{5,32})\.png$/.exec(path)?.[1];
      if (path !== setupSheetPath && name === undefined) return undefined;
      if (request.method !== 'GET') return Promise.resolve(sayJson(response, 405, '{"status":405}'));
      if (name !== undefined) return sheet(kindOfShortName(name), request, response);
      return Promise.resolve(sayFile(response, 'image/bmp', setupSheet));
    },
  };
}

/** A panel in black and white is named by its size alone. */
const shortNameOf = (kind: string): string => kind.replace(/^mono-/, '');
const kindOfShortName = (name: string): string => (/^\d/.test(name) ? `mono-${name}` : name);

const bitmapHeader = 62;
const rowBytes = 100;

/**
 * A white sheet of 800x480 as a bitmap of 48,062 bytes, one bit a pixel, black before white: firmware before 1.8.2 takes no
 * other file while it is set up.
 */
const setupSheet = drawSetupSheet();

function drawSetupSheet(): Uint8Array {
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
