/**
 * The models of frames that speak TRMNL's protocol, and the panels that they have. Names were read in usetrmnl/trmnl-firmware
 * (`include/config.h`, `platformio.ini`, by tag) and in usetrmnl's list of devices.
 */
import type { Panel } from '../panel-record.ts';
import type { TrmnlCall } from './headers.ts';
import { rangeOfFirmware } from './versions.ts';

/** What a model draws, by the name of its panel. `before16` is for firmware that reads one bit a pixel only. */
interface Model {
  readonly names: readonly string[];
  readonly panel: string;
  readonly before16?: string;
}

const models: readonly Model[] = [
  { names: ['og', 'og_gen2', 'gen_2', 'trmnl'], panel: 'trmnl4', before16: 'trmnl2' },
  { names: ['og_4clr', 'og_gen2_4clr'], panel: 'trmnlbwry' },
  { names: ['x', 'trmnl_x'], panel: 'trmnlx' },
  { names: ['reterminal_e1001'], panel: 'seeede1001', before16: 'trmnl2' },
  { names: ['reterminal_e1002'], panel: 'seeede1002' },
  { names: ['reterminal_e1003'], panel: 'seeede1003' },
  { names: ['reterminal_e1004'], panel: 'seeede1004' },
  { names: ['xiao_epaper_display_3clr'], panel: 'bwr-800x480' },
  { names: ['xiao_epaper_display_6clr'], panel: 'spectra6-800x480' },
  { names: ['xteink_x3'], panel: 'gray4-792x528' },
  { names: ['m5_paper_color'], panel: 'spectra6-400x600' },
  { names: ['m5_papers3', 'paper_s3', 'lilygo_t5pro', 'lilygo'], panel: 'gray16-960x540' },
  { names: ['crowpanel42'], panel: 'mono-400x300' },
  { names: ['sensoria_c5', 'sensoria_s3'], panel: 'gray16-1280x720' },
];

const panelByName: ReadonlyMap<string, Model> = new Map(
  models.flatMap((model) => model.names.map((name) => [name, model] as const)),
);

/** Older firmware writes names otherwise: "reTerminal E1001" in 1.7.2. */
function plain(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
}

/**
 * The name of the panel of a frame: that of its model, or one of its size. A size alone says nothing of colours, so that
 * the picture is black and white unless somebody gives the frame another kind.
 * @returns undefined when the frame names neither a known model nor a size
 */
export function panelOfCall({
  model,
  firmware,
  width,
  height,
}: Pick<TrmnlCall, 'model' | 'firmware' | 'width' | 'height'>): string | undefined {
  const known = panelByName.get(plain(model ?? ''));
  if (known !== undefined) {
    const readsGrays = known.before16 === undefined || !isBefore16(firmware);
    return readsGrays ? known.panel : known.before16;
  }
  return width === undefined || height === undefined ? undefined : `mono-${width}x${height}`;
}

function isBefore16(firmware: string | undefined): boolean {
  const [major = 0, minor = 0] = rangeOfFirmware(firmware) === undefined ? [] : (firmware ?? '').split('.').map(Number);
  return major < 1 || (major === 1 && minor < 6);
}

/** True for a model of the firmware itself, and not of another client of its protocol. */
export function isKnownModel({ model }: Pick<TrmnlCall, 'model'>): boolean {
  return panelByName.has(plain(model ?? ''));
}

/**
 * The least time for which a frame that drew a picture was awake, in milliseconds, far below what was read of such panels: one
 * to three seconds for black and white and grays, sixteen for four inks, nineteen for six.
 */
export function leastDrawingMs(panel: Panel | undefined): number {
  if (panel === undefined) return 0;
  return panel.colours.some(({ name }) => name === 'red') ? 5_000 : 500;
}
