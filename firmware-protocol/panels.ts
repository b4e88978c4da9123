/**
 * The panels, one record each: everything about a picture's bytes, colours and turns derives from here (PN-01).
 * Sizes and nibbles were read in the firmware of the fielded frames; a fact without a source says so (PN-02).
 */

/** How a picture hangs, as a person sees it. */
export type Orientation = 'portrait' | 'landscape';

/** Clockwise degrees from the person's view to the raster as stored. */
export type Turn = 0 | 90 | 180 | 270;

/** One ink: its code in the picture file, its name's colour, and what it looks like on paper (`#rrggbb`). */
export interface PanelColour {
  readonly name: string;
  readonly code: number;
  readonly nominal: string;
  readonly measured: string;
}

/** A panel, as its picture file is stored. `width` and `height` are pixels of the stored raster. */
export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly packing: 'nibble';
  readonly colours: readonly PanelColour[];
  /** What the frame draws for a code outside `colours`: an index into `colours`. */
  readonly foreignCodeDrawnAs: number;
  readonly turn: Readonly<Record<Orientation, Turn>>;
  readonly refreshSeconds: number;
  readonly refreshSource: 'measured' | 'driver' | 'unverified';
  readonly source: string;
}

/**
 * Spectra 6: black, white, then the others by code. Measured: set A (`aitjcize-spectra6` of the upstream dither
 * library), the vendor service's default. Code 4 is never written: firmware before June 2026 draws it red, later ones white.
 */
const spectra6: readonly PanelColour[] = [
  { name: 'black', code: 0, nominal: '#000000', measured: '#020202' },
  { name: 'white', code: 6, nominal: '#ffffff', measured: '#bec8c8' },
  { name: 'blue', code: 1, nominal: '#0000ff', measured: '#05409e' },
  { name: 'green', code: 2, nominal: '#00ff00', measured: '#27663c' },
  { name: 'red', code: 3, nominal: '#ff0000', measured: '#871300' },
  { name: 'yellow', code: 5, nominal: '#ffff00', measured: '#cdca00' },
];
const white = 1;

export const epd7: Panel = {
  name: 'epd7',
  title: 'OpenPaper 7, Spectra 6, 7.3 inch',
  width: 800,
  height: 480,
  packing: 'nibble',
  colours: spectra6,
  foreignCodeDrawnAs: white,
  turn: { portrait: 90, landscape: 180 },
  refreshSeconds: 35,
  refreshSource: 'unverified',
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
  foreignCodeDrawnAs: white,
  turn: { portrait: 0, landscape: 270 },
  refreshSeconds: 45,
  refreshSource: 'unverified',
  source: 'frame firmware, 13-inch build; Pimoroni el133uf1',
};

/** Every panel by its name, which is also the device kind. */
export const panels: Readonly<Record<string, Panel>> = { [epd7.name]: epd7, [epd13.name]: epd13 };

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

/** Pixels of the picture as a person sees it. */
export function viewSize(panel: Panel, orientation: Orientation): { width: number; height: number } {
  const sideways = panel.turn[orientation] === 90 || panel.turn[orientation] === 270;
  return sideways ? { width: panel.height, height: panel.width } : { width: panel.width, height: panel.height };
}
