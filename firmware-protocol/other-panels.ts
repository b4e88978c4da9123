/**
 * Panels that no frame in the field has: for boards of one's own, with the native dialect. Their rasters, packings and
 * refresh times were read in panel drivers and device lists. How they hang is a guess, except where said: as stored is
 * landscape, portrait is turned by 90 degrees clockwise.
 */
import type { PanelColour } from './palettes.ts';
import { acep5, acep7, grays, numbered, spectra6, withRed, withRedAndYellow, withYellow } from './palettes.ts';
import type { Panel } from './panel-record.ts';

/** What only some records say; refresh seconds are left out where no source gives them (PN-11). */
interface More {
  readonly refreshSeconds?: number;
  readonly maxFileBytes?: number;
}

function panel(
  name: string,
  title: string,
  width: number,
  height: number,
  packing: Panel['packing'],
  colours: readonly PanelColour[],
  source: string,
  { refreshSeconds, maxFileBytes }: More = {},
): Panel {
  return {
    name,
    title,
    width,
    height,
    packing,
    colours,
    isMeasured: colours.some(({ nominal, measured }) => nominal !== measured),
    foreignCodeDrawnAs: colours.findIndex((colour) => colour.name === 'white'),
    turn: height > width ? { portrait: 0, landscape: 90 } : { portrait: 90, landscape: 0 },
    refreshSeconds: refreshSeconds ?? 45,
    refreshSource: refreshSeconds === undefined ? 'unverified' : 'driver',
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
    unverified: ['turn', 'foreignCodeDrawnAs', ...(refreshSeconds === undefined ? (['refreshSeconds'] as const) : [])],
    source,
  };
}

export const otherPanels: readonly Panel[] = [
  panel(
    'acep7',
    'ACeP, seven colours, 7.3 inch (GDEY073D46, AC073TC1A)',
    800,
    480,
    'nibble',
    acep7,
    'GxEPD2 730c_*; Pimoroni ac073tc1a',
    { refreshSeconds: 38.9 },
  ),
  panel(
    'acep5',
    'ACeP, seven colours, 5.65 inch (GDEP0565D90, UC8159)',
    600,
    448,
    'nibble',
    acep5,
    'GxEPD2 565c*; Pimoroni uc8159',
    { refreshSeconds: 11.3 },
  ),
  panel(
    'inkplate6color',
    'Inkplate 6COLOR, seven colours',
    600,
    448,
    'nibble',
    acep5,
    'Inkplate library; colours as of the ACeP of 5.65 inch',
  ),
  panel('bw7', 'Black and white, 7.5 inch (GDEW075T7)', 800, 480, 'bits', grays(2), 'GxEPD2 750_T7', {
    refreshSeconds: 4.1,
  }),
  panel('bw13', 'Black and white, 13.3 inch (GDEM133T91)', 960, 680, 'bits', grays(2), 'GxEPD2 1330_GDEM133T91', {
    refreshSeconds: 4.1,
  }),
  panel('bwr7', 'Black, white and red, 7.5 inch (GDEW075Z08)', 800, 480, 'planes', withRed, 'GxEPD2 750c_Z08', {
    refreshSeconds: 17.1,
  }),
  panel('bwr7hd', 'Black, white and red, 7.5 inch HD (GDEH075Z90)', 880, 528, 'planes', withRed, 'GxEPD2 750c_Z90', {
    refreshSeconds: 22.8,
  }),
  panel(
    'bwr13',
    'Black, white and red, 13.3 inch (GDEM133Z91)',
    960,
    680,
    'planes',
    withRed,
    'GxEPD2 1330c_GDEM133Z91',
    { refreshSeconds: 20.5 },
  ),
  panel(
    'bwr12',
    'Black, white and red, 12.48 inch (GDEY1248Z51)',
    1304,
    984,
    'planes',
    withRed,
    'GxEPD2 1248c; the frame deals the planes out to four controllers',
    { refreshSeconds: 17.5 },
  ),
  panel(
    'bwy2',
    'Black, white and yellow, 2.13 inch',
    104,
    212,
    'planes',
    withYellow,
    "mcauser's panel list; TRMNL palette color-3bwy",
  ),
  panel(
    'bwry7',
    'Black, white, red and yellow, 7.5 inch (GDEM075F52)',
    800,
    480,
    'pairs',
    withRedAndYellow,
    'GxEPD2 750c_GDEM075F52',
    { refreshSeconds: 20.9 },
  ),
  panel('gray10', '16 grays, 10.3 inch (IT8951)', 1872, 1404, 'nibble', grays(16), 'GxEPD2 it103_1872x1404', {
    refreshSeconds: 0.83,
  }),
  panel('trmnl2', 'TRMNL OG, two grays', 800, 480, 'png', grays(2), 'TRMNL model list', { maxFileBytes: 90_000 }),
  panel('trmnl4', 'TRMNL OG, four grays', 800, 480, 'png', grays(4), 'TRMNL model list', { maxFileBytes: 90_000 }),
  panel('trmnlx', 'TRMNL X, 16 grays', 1872, 1404, 'png', grays(16), 'TRMNL model list', { maxFileBytes: 90_000 }),
  panel('seeede1001', 'Seeed E1001, four grays', 800, 480, 'png', grays(4), 'TRMNL model list'),
  panel(
    'seeede1002',
    'Seeed E1002, six colours',
    800,
    480,
    'png',
    numbered(spectra6),
    'TRMNL model list; colours of Spectra 6',
  ),
  panel('seeede1003', 'Seeed E1003, 16 grays', 1872, 1404, 'png', grays(16), 'TRMNL model list'),
  panel(
    'seeede1004',
    'Seeed E1004, six colours',
    1600,
    1200,
    'png',
    numbered(spectra6),
    'TRMNL model list, which turns it by 90 degrees; colours of Spectra 6',
  ),
];
