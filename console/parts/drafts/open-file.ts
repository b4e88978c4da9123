/** Opens the file of a picture: its bytes decide, whatever its name says, and it is upright from then on. */
import { Problem } from '../../ground/call-api.ts';
import { askReadable, type RemarkShown } from './ask-readable.ts';
import type { Size } from './crop.ts';
import { bitmapOf } from './draw-crop.ts';
import type { OpenTrouble } from './file-trouble.ts';
import { type FileFacts, inspectFile, maxFileBytes, maxPixels } from './inspect-file.ts';

/** A picture that was opened. */
export interface Opened {
  /** The file as every browser reads it: the picture that is sent is drawn from it. */
  readonly file: Blob;
  /** A copy that is large enough to work on: a phone's memory holds few whole ones. */
  readonly picture: ImageBitmap;
  /** The pixels of that copy. */
  readonly size: Size;
  /** Drawings and screenshots are sent without loss: their flat areas stay flat. */
  readonly isLossless: boolean;
  /** The service's remarks on the file, where it had to read it. */
  readonly told: RemarkShown;
}

/** A copy to work on has at most these pixels a side: twice a usual panel. */
const workingSide = 1_600;

/** Opens a file, or says why it cannot be taken. */
export async function openFile(file: Blob): Promise<Opened | OpenTrouble> {
  if (file.size > maxFileBytes) return 'large';
  const facts = inspectFile(new Uint8Array(await file.arrayBuffer()));
  if (facts.kind === 'pdf' || facts.kind === 'video') return facts.kind;
  if ((facts.pixels ?? 0) > maxPixels) return 'large';
  // The service can tell a file that lacks only its end from half a picture.
  if (facts.isCut) return openElsewhere(file, facts.kind);
  try {
    return await opened(file, facts.kind === 'png' || facts.kind === 'gif');
  } catch {
    return facts.kind === 'other' ? 'other' : openElsewhere(file, facts.kind);
  }
}

async function opened(file: Blob, isLossless: boolean, told: RemarkShown = {}): Promise<Opened | OpenTrouble> {
  const picture = await bitmapOf(file, workingSide);
  return { file, picture, size: [picture.width, picture.height], isLossless, told };
}

/** Has the service read a file that this browser does not: some read HEIC and some do not. */
async function openElsewhere(file: Blob, kind: FileFacts['kind']): Promise<Opened | OpenTrouble> {
  try {
    const { blob, ...told } = await askReadable(file);
    return await opened(blob, false, told);
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'invalid-image') return 'broken';
    // Any other refusal of the service does not concern the file's bytes: it has too many pixels, or nobody could read
    // it just now.
    return kind === 'heic' && error.status >= 500 ? 'heic' : error;
  }
}
