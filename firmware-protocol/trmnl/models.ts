/**
 * The models of frames that speak TRMNL's protocol, and the panels that they have. Names were read in usetrmnl/trmnl-firmware
 * (`include/config.h`, `platformio.ini` and `device_list`, by tag), and in the list of models that usetrmnl publishes. What a
 * panel is sent is what the firmware decodes (`src/display.cpp`, and usetrmnl/trmnl-spec, which plays it), whatever a list says.
 */
import type { Panel } from '../panel-record.ts';
import type { TrmnlCall } from './headers.ts';
import { isFirmwareFrom } from './versions.ts';

/**
 * The panel of a model, by its name. `before16` is for firmware that reads one bit a pixel only. `only` marks those whose
 * firmware draws no other picture of that size, so that nobody can choose another kind for them.
 */
interface Model {
  readonly names: readonly string[];
  readonly panel: string;
  readonly before16?: string;
  readonly only?: true;
}

const models: readonly Model[] = [
  { names: ['og', 'og_gen2', 'gen_2', 'trmnl', 'og_plus'], panel: 'trmnl4', before16: 'trmnl2' },
  { names: ['og_png'], panel: 'trmnl2' },
  { names: ['og_4clr', 'og_gen2_4clr', 'og_bwry'], panel: 'trmnlbwry' },
  { names: ['x', 'trmnl_x', 'v2'], panel: 'trmnlx' },
  { names: ['reterminal_e1001', 'seeed_e1001'], panel: 'seeede1001', before16: 'trmnl2' },
  { names: ['reterminal_e1002', 'seeed_e1002'], panel: 'seeede1002' },
  { names: ['reterminal_e1003', 'seeed_e1003'], panel: 'seeede1003' },
  { names: ['reterminal_e1004', 'seeed_e1004'], panel: 'seeede1004' },
  // Up to 1.8.15 the kit with red sends this name, too, and draws only black and white.
  { names: ['xiao_epaper_display'], panel: 'mono-800x480' },
  { names: ['xiao_epaper_3clr', 'xiao_epaper_display_3clr'], panel: 'trmnlbwr', only: true },
  { names: ['xiao_epaper_6clr', 'xiao_epaper_display_6clr'], panel: 'spectra6-800x480' },
  {
    names: ['xteink_x4', 'xiao_epaper_mini', 'waveshare', 'waveshare_397', 'seeed_esp32c3', 'seeed_esp32s3'],
    panel: 'gray4-800x480',
    before16: 'mono-800x480',
  },
  // Its display turns the four grays around (usetrmnl/trmnl-spec, `SeeedSticky`).
  { names: ['seeed_sticky', 'reterminal_sticky'], panel: 'mono-800x480', only: true },
  { names: ['xteink_x3'], panel: 'gray4-792x528' },
  { names: ['trmnl_steam'], panel: 'gray4-648x480' },
  { names: ['crowpanel42'], panel: 'crowpanel42', only: true },
  { names: ['m5_paper_mono'], panel: 'm5papermono', only: true },
  { names: ['m5_paper_color'], panel: 'spectra6-400x600' },
  { names: ['m5_papers3', 'm5_paper_s3', 'paper_s3', 'papers3', 'lilygo_t5pro', 'lilygo'], panel: 'gray16-960x540' },
  { names: ['sensoria_c5', 'sensoria_s3'], panel: 'gray16-1280x720' },
];

const panelByName: ReadonlyMap<string, Model> = new Map(
  models.flatMap((model) => model.names.map((name) => [name, model] as const)),
);

/** The names of all panels of known models. */
export const panelsOfModels: ReadonlySet<string> = new Set(
  models.flatMap(({ panel, before16 = panel }) => [panel, before16]),
);

/** Older firmware writes names otherwise: "reTerminal E1001" in 1.7.2. */
function modelOf({ model }: Pick<TrmnlCall, 'model'>): Model | undefined {
  const plain = (model ?? '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
  return panelByName.get(plain);
}

/** The facts about the panel in a call. */
type SaidPanel = Pick<TrmnlCall, 'model' | 'firmware' | 'width' | 'height'> & Partial<Pick<TrmnlCall, 'client'>>;

/**
 * The name of the panel of a frame: that of its model, or one of its size. A size alone reveals no colours, so the
 * picture is black and white unless somebody gives the frame another kind. Firmware before 1.8.0 names neither while it
 * is set up: only the first TRMNL was sold with it.
 * @returns undefined when the frame names neither a known model nor a size, and is not such firmware
 */
export function panelOfCall(call: SaidPanel): string | undefined {
  const { firmware, width, height, client } = call;
  const known = modelOf(call);
  if (known !== undefined) {
    const readsGrays = isFirmwareFrom(firmware, [1, 6, 0]);
    return (readsGrays ? undefined : known.before16) ?? known.panel;
  }
  if (width === undefined || height === undefined) {
    const isOld = isFirmwareFrom(firmware, [1, 5, 2]) && !isFirmwareFrom(firmware, [1, 8, 0]);
    return isOld && call.model === undefined ? 'trmnl2' : undefined;
  }
  // It leaves it to the server to turn the picture for its screen, which stands upright.
  if (client === 'kindle') return `kindle-${Math.min(width, height)}x${Math.max(width, height)}`;
  return `${client === 'koreader' ? 'gray16' : 'mono'}-${width}x${height}`;
}

/**
 * The panel whose pictures a frame is to be sent in place of a kind that its decoder does not draw; undefined where its owner's
 * choice stands. None of this firmware draws black, white and red.
 */
export function panelInsteadOf(kind: string, call: SaidPanel): string | undefined {
  const known = modelOf(call);
  const isFixed = known?.only === true || call.client === 'kindle' || (known !== undefined && kind.startsWith('bwr-'));
  const drawn = isFixed ? panelOfCall(call) : undefined;
  return drawn === kind ? undefined : drawn;
}

/** True for a model of the firmware itself, and not of another client of its protocol. */
export function isKnownModel(call: Pick<TrmnlCall, 'model'>): boolean {
  return modelOf(call) !== undefined;
}

/**
 * The least time for which a frame that drew a picture was awake, in milliseconds, far below what was read of such panels: one
 * to three seconds for black and white and grays, sixteen for four inks, nineteen for six.
 */
export function leastDrawingMs(panel: Panel | undefined): number {
  if (panel === undefined) return 0;
  return panel.colours.some(({ name }) => name === 'red') ? 5_000 : 500;
}
