/**
 * The panels, one record each: everything about a picture's bytes, colours and turns derives from here (PN-01).
 * Sizes and nibbles were read in the firmware of the fielded frames; a fact without a source says so (PN-02).
 */

import { otherPanels } from './other-panels.ts';
import { namedPalettes, problemOfPalette, spectra6 } from './palettes.ts';
import type { Orientation, Panel } from './panel-record.ts';

export type { PanelColour } from './palettes.ts';
export { type Orientation, type Panel, packings, type Turn } from './panel-record.ts';

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
  turn: { portrait: 90, landscape: 180 },
  refreshSeconds: 35,
  refreshSource: 'unverified',
  unverified: ['refreshSeconds'],
  source: 'frame firmware, 7-inch build; GxEPD2 730c_GDEP073E01',
};

/**
 * The raster is portrait although devices are described as 1600x1200. The landscape turn is inferred from the
 * vendor's pipeline, not seen on hardware.
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
  turn: { portrait: 0, landscape: 270 },
  refreshSeconds: 45,
  refreshSource: 'unverified',
  unverified: ['turn', 'refreshSeconds'],
  source: 'frame firmware, 13-inch build; Pimoroni el133uf1',
};

/** Every panel by its name, which is also the device kind. */
export const panels: Readonly<Record<string, Panel>> = Object.fromEntries(
  [epd7, epd13, ...otherPanels].map((panel) => [panel.name, panel]),
);

/**
 * The panel with a measured palette of that name in place of its own (PN-08): the same inks by name and code, or the
 * panel as it is when the name means nothing here.
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
 * The panel of one device, whose record may have a palette of its own (PN-08): a palette's name, or a colour for every ink.
 * @param wish what stands in `meta.palette`; nothing leaves the panel as it is
 * @returns a sentence when it cannot be drawn with (PN-09)
 */
export function withOwnPalette(panel: Panel, wish: unknown): Panel | string {
  if (wish === undefined || wish === null || wish === '') return panel;
  if (typeof wish === 'string' && withPalette(panel, wish) === panel) {
    return `no palette of these inks is called ${JSON.stringify(wish.slice(0, 40))}`;
  }
  const colours = typeof wish === 'string' ? withPalette(panel, wish).colours : coloursNamed(panel, wish);
  if (colours === undefined) return `name exactly these inks: ${panel.colours.map(({ name }) => name).join(', ')}`;
  const ownPalette = colours.map(({ measured }) => measured).join(' ');
  return problemOfPalette(colours) ?? { ...panel, colours, isMeasured: true, ownPalette };
}

/**
 * The panel of one device, whose record may say how its landscape pictures are turned: nobody has seen that on the hardware
 * of the panels that are stored upright.
 * @param wish what stands in `meta.landscapeTurn`; nothing leaves the panel as it is
 * @returns a sentence when the panel has no such turn
 */
export function withOwnTurn(panel: Panel, wish: unknown): Panel | string {
  if (wish === undefined || wish === null || wish === '') return panel;
  if (panel.turn.landscape !== 90 && panel.turn.landscape !== 270)
    return `${panel.title} is not turned sideways for landscape`;
  if (wish !== 'clockwise' && wish !== 'counter-clockwise') return 'clockwise or counter-clockwise';
  return { ...panel, turn: { ...panel.turn, landscape: wish === 'clockwise' ? 90 : 270 } };
}

/** The panel's inks in the colours of a record by their names; undefined when it names others, or not all. */
function coloursNamed(panel: Panel, wish: unknown): Panel['colours'] | undefined {
  if (typeof wish !== 'object' || wish === null || Object.keys(wish).length !== panel.colours.length) return undefined;
  const given = new Map<string, unknown>(Object.entries(wish));
  if (!panel.colours.every(({ name }) => given.has(name))) return undefined;
  return panel.colours.map((colour) => ({ ...colour, measured: String(given.get(colour.name)).toLowerCase() }));
}

const kindByPrefix: readonly (readonly [prefix: string, kind: string])[] = [
  ['epd7-', 'epd7'],
  ['epd13-', 'openpaper13'],
  ['epd-', 'epaper'],
];

/** The kind a serial's prefix names, or undefined. Serials are compared without regard to case (W-35). */
export function kindOfSerial(serial: string): string | undefined {
  const lower = serial.toLowerCase();
  return kindByPrefix.find(([prefix]) => lower.startsWith(prefix))?.[1];
}

/** The panel of a device kind, or undefined for kinds this release cannot draw. `epd13` is accepted for openpaper13. */
export function panelOfKind(kind: string): Panel | undefined {
  return Object.hasOwn(panels, kind) ? panels[kind] : kind === 'epd13' ? epd13 : undefined;
}

/** The panel of a device by its kind and the JSON of its meta. A wish that could not be saved today counts for nothing. */
export function panelOfDevice(kind: string | null, meta: string): Panel | undefined {
  const panel = panelOfKind(kind ?? '');
  if (panel === undefined) return undefined;
  const wishes = JSON.parse(meta);
  const measured = withOwnPalette(panel, wishes?.palette);
  const drawn = typeof measured === 'string' ? panel : measured;
  const turned = withOwnTurn(drawn, wishes?.landscapeTurn);
  return typeof turned === 'string' ? drawn : turned;
}

/** Pixels of the picture as a person sees it. */
export function viewSize(panel: Panel, orientation: Orientation): { width: number; height: number } {
  const sideways = panel.turn[orientation] === 90 || panel.turn[orientation] === 270;
  return sideways ? { width: panel.height, height: panel.width } : { width: panel.width, height: panel.height };
}
