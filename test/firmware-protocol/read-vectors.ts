/** The vectors as they lie beside the wire's code, with the shapes their readers rely on. */
import { readFileSync } from 'node:fs';
import type { ClassicAnswer } from '../../firmware-protocol/classic.ts';
import type { ClassicFirmware } from '../../firmware-protocol/classic-manifest.ts';
import type { MessageName } from '../../firmware-protocol/messages.ts';
import { type Orientation, type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import { readStories } from '../../firmware-protocol/stories.ts';

/** Bytes, as UTF-8 text or in hex, and what becomes of them. */
interface BytesVector {
  readonly why: string;
  readonly text?: string;
  readonly hex?: string;
  readonly accepted: boolean;
  readonly decoded?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

interface NativeVector extends BytesVector {
  readonly message: MessageName;
}

interface ClassicVector extends BytesVector {
  readonly topic: 'activate' | 'request' | 'state';
}

interface AnswerVector {
  readonly why: string;
  readonly frame: string;
  readonly urlPrefix: string;
  readonly answer: ClassicAnswer;
  readonly payload?: string;
  readonly refused?: string;
}

interface ManifestVector {
  readonly why: string;
  readonly text: string;
  readonly offers?: ClassicFirmware;
  readonly problem?: string;
}

interface PacketVector {
  readonly why: string;
  readonly frame: string;
  readonly payloadBytes: number;
  readonly packetBytes: number;
}

interface PictureVector {
  readonly panel: string;
  readonly why: string;
  readonly pattern: 'white' | 'diagonal';
  readonly bytes: number;
  readonly firstBytes: string;
  readonly secondRow: string;
  readonly sha256: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface CornersVector {
  readonly panel: string;
  readonly orientation: Orientation;
  readonly why: string;
  readonly seen: { readonly width: number; readonly height: number };
  readonly pixels: readonly {
    readonly corner: string;
    readonly colour: string;
    readonly nibble: number;
    readonly seen: Point;
    readonly stored: Point;
    readonly offset: number;
    readonly byte: string;
  }[];
  readonly sha256: string;
}

export interface FileVector {
  readonly panel: string;
  readonly why: string;
  readonly parts: readonly { readonly hex: string; readonly times: number }[];
  readonly bytes: number;
  readonly accepted: boolean;
  readonly drawn?: readonly (Point & { readonly nibble: number })[];
  readonly problem?: string;
}

function read<Content>(name: string): Content {
  const path = new URL(`../../firmware-protocol/vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Content;
}

export const native = read<{ vectors: readonly NativeVector[] }>('native').vectors;
export const classic = read<{
  messages: readonly ClassicVector[];
  answers: readonly AnswerVector[];
  packets: readonly PacketVector[];
  manifests: readonly ManifestVector[];
}>('classic');
export const pictures = read<{
  pictures: readonly PictureVector[];
  corners: readonly CornersVector[];
  files: readonly FileVector[];
}>('pictures');
export const stories = readStories();

/** The bytes of a vector. */
export function bytesOf(vector: { readonly text?: string; readonly hex?: string }): Uint8Array {
  if ((vector.text === undefined) === (vector.hex === undefined)) throw new Error('either text or hex');
  return vector.hex === undefined
    ? new TextEncoder().encode(vector.text)
    : Uint8Array.from(Buffer.from(vector.hex, 'hex'));
}

/** The panel a vector speaks of. */
export function panelNamed(name: string): Panel {
  const panel = panelOfKind(name);
  if (panel === undefined) throw new Error(`no panel ${name}`);
  return panel;
}
