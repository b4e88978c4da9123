/** Turns palette indices into colours again: the picture on a panel, for people. */
import type { PanelColour } from '../../../firmware-protocol/panels.ts';
import { bytesOfColour } from './colour.ts';

/** Returns sRGB, three bytes a pixel, in the measured colours or in those that their names mean. */
export function paint(indices: Uint8Array, colours: readonly PanelColour[], as: 'measured' | 'nominal'): Uint8Array {
  const inks = Uint8Array.from(colours.flatMap((colour) => bytesOfColour(colour[as])));
  const rgb = new Uint8Array(indices.length * 3);
  for (let pixel = 0, to = 0; pixel < indices.length; pixel++, to += 3) {
    const ink = (indices[pixel] as number) * 3;
    rgb[to] = inks[ink] as number;
    rgb[to + 1] = inks[ink + 1] as number;
    rgb[to + 2] = inks[ink + 2] as number;
  }
  return rgb;
}
