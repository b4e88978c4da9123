/**
 * The panels, one record each, from which everything about a picture's bytes, colours and rotation derives. Sizes and
 * nibbles were read in the firmware of the frames in the field; a fact without a source is marked as such.
 */

import { otherPanels } from './other-panels.ts';
import { namedPalettes, problemOfPalette, spectra6 } from './palettes.ts';
import type { Orientation, Panel } from './panel-record.ts';
import { polledPanels } from './polled-panels.ts';
import { sizedPanel } from './sized-panels.ts';

export type { PanelColour } from './palettes.ts';
export { type Orientation, type Panel, packings, type Rotation } from './panel-record.ts';

const white = 1;

export const epd7: Panel = {
  name: 'epd7',
  title: 'OpenPaper 7, Spectra 6, 7.3 inch',
  width: 800,
  height: 480,
  packing: 'nibble',
  colours: spectra6,
  isMeasured: true,
  foreignCodeDrawnAs: white,
  rotation: { portrait: 90, landscape: 180 },
  refreshSeconds: 35,
  refreshSource: 'unverified',
  unverified: ['refreshSeconds'],
  source: 'frame firmware, 7-inch build; GxEPD2 730c_GDEP073E01',
};

/**
 * The raster is portrait, although devices are described as 1600x1200. The landscape rotation is inferred from the
 * vendor's pipeline, and was not seen on hardware.
 */
export const epd13: Panel = {
  name: 'openpaper13',
  title: 'OpenPaper 13, Spectra 6, 13.3 inch',
  width: 1200,
  height: 1600,
  packing: 'nibble',
  colours: spectra6,
  isMeasured: true,
  foreignCodeDrawnAs: white,
  rotation: { portrait: 0, landscape: 270 },
  refreshSeconds: 45,
  refreshSource: 'unverified',
  unverified: ['rotation', 'refreshSeconds'],
  source: 'frame firmware, 13-inch build; Pimoroni el133uf1',
};

/** Every panel by its name, which is also the device kind. */
export const panels: Readonly<Record<string, Panel>> = Object.fromEntries(
  [epd7, epd13, ...otherPanels, ...polledPanels].map((panel) => [panel.name, panel]),
);

/**
 * The panel with the named measured palette in place of its own (PANEL-08). The palette must have the same inks by name
 * and code; the panel is returned unchanged when the name means nothing here.
 */
export function withPalette(panel: Panel, name: string | undefined): Panel {
  const colours = name === undefined ? undefined : namedPalettes.get(name);
  if (colours === undefined || colours.length !== panel.colours.length) return panel;
  const isSame = panel.colours.every((colour, at) => colours[at]?.name === colour.name);
  if (!isSame) return panel;
  const measured = (at: number): string => colours[at]?.measured ?? '';
  return { ...panel, colours: panel.colours.map((colour, at) => ({ ...colour, measured: measured(at) })) };
}

/**
 * The panel of one device, whose record may have a palette of its own (PANEL-08): a palette's name, or a colour for every
 * ink.
 * @param requested the value of `meta.palette`; an empty one leaves the panel as it is
 * @returns a sentence when the palette cannot be used (PANEL-09)
 */
export function withOwnPalette(panel: Panel, requested: unknown): Panel | string {
  if (requested === undefined || requested === null || requested === '') return panel;
  if (typeof requested === 'string' && withPalette(panel, requested) === panel) {
    return `no palette of these inks is called ${JSON.stringify(requested.slice(0, 40))}`;
  }
  const colours =
    typeof requested === 'string' ? withPalette(panel, requested).colours : coloursNamed(panel, requested);
  if (colours === undefined) return `name exactly these inks: ${panel.colours.map(({ name }) => name).join(', ')}`;
  const ownPalette = colours.map(({ measured }) => measured).join(' ');
  return problemOfPalette(colours) ?? { ...panel, colours, isMeasured: true, ownPalette };
}

/**
 * The panel of one device, whose record may set the rotation of its landscape pictures: nobody has seen it on the
 * hardware of the panels that are stored upright.
 * @param requested the value of `meta.landscapeTurn`; an empty one leaves the panel as it is
 * @returns a sentence when the panel has no such rotation
 */
export function withOwnRotation(panel: Panel, requested: unknown): Panel | string {
  if (requested === undefined || requested === null || requested === '') return panel;
  if (panel.rotation.landscape !== 90 && panel.rotation.landscape !== 270)
    return `${panel.title} is not turned sideways for landscape`;
  if (requested !== 'clockwise' && requested !== 'counter-clockwise') return 'clockwise or counter-clockwise';
  return { ...panel, rotation: { ...panel.rotation, landscape: requested === 'clockwise' ? 90 : 270 } };
}

/** The panel's inks in the colours of a record, by their names; undefined when it names other inks, or not all. */
function coloursNamed(panel: Panel, requested: unknown): Panel['colours'] | undefined {
  if (typeof requested !== 'object' || requested === null || Object.keys(requested).length !== panel.colours.length)
    return undefined;
  const given = new Map<string, unknown>(Object.entries(requested));
  if (!panel.colours.every(({ name }) => given.has(name))) return undefined;
  return panel.colours.map((colour) => ({ ...colour, measured: String(given.get(colour.name)).toLowerCase() }));
}

const kindByPrefix: readonly (readonly [prefix: string, kind: string])[] = [
  ['epd7-', 'epd7'],
  ['epd13-', 'openpaper13'],
  ['epd-', 'epaper'],
];

/** The kind that a serial's prefix names, or undefined. Serials are compared without regard to case (W-35). */
export function kindOfSerial(serial: string): string | undefined {
  const lower = serial.toLowerCase();
  return kindByPrefix.find(([prefix]) => lower.startsWith(prefix))?.[1];
}

/**
 * The panel of a device kind, which has a record or is named by looks and size; undefined for kinds that this release
 * cannot draw. `epd13` is accepted for openpaper13.
 */
export function panelOfKind(kind: string): Panel | undefined {
  if (Object.hasOwn(panels, kind)) return panels[kind];
  return kind === 'epd13' ? epd13 : sizedPanel(kind);
}

/** The panel of a device by its kind and the JSON of its meta. A value that could not be saved today is ignored. */
export function panelOfDevice(kind: string | null, meta: string): Panel | undefined {
  const panel = panelOfKind(kind ?? '');
  if (panel === undefined) return undefined;
  const own = JSON.parse(meta);
  const measured = withOwnPalette(panel, own?.palette);
  const drawn = typeof measured === 'string' ? panel : measured;
  const turned = withOwnRotation(drawn, own?.landscapeTurn);
  return typeof turned === 'string' ? drawn : turned;
}

/** The pixels of the picture as a person sees it. */
export function viewSize(panel: Panel, orientation: Orientation): { width: number; height: number } {
  const sideways = panel.rotation[orientation] === 90 || panel.rotation[orientation] === 270;
  return sideways ? { width: panel.height, height: panel.width } : { width: panel.width, height: panel.height };
}
