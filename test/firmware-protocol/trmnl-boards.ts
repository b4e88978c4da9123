/**
 * The boards with TRMNL's firmware, and the Kindles of its script, as their own sources describe them: usetrmnl/trmnl-spec
 * `spec/support/devices.rb`, usetrmnl/trmnl-firmware `include/config.h` by tag and `device_list`, usetrmnl/trmnl-kindle.
 */
import type { Board, Decoder } from './trmnl-decoders.ts';

const [small, large] = [90_000, 750_000];
const [wide, parallel, paper] = [
  [800, 480],
  [1872, 1404],
  [960, 540],
] as const;

const board = (
  decoder: Decoder,
  size: Board['size'],
  maxBytes: number,
  ...models: readonly string[]
): readonly Board[] => models.map((model) => ({ model, size, decoder, maxBytes }));

/** Every board whose firmware can show a picture, under each name that it has had. */
export const boards: readonly Board[] = [
  ...board('gray', wide, small, 'og', 'og_gen2', 'gen-2', 'reterminal_e1001', 'reTerminal E1001', 'seeed_esp32c3'),
  ...board('gray', wide, small, 'xteink_x4', 'XTEINK_X4', 'waveshare', 'waveshare_397', 'seeed_esp32s3'),
  ...board('gray', wide, small, 'xiao_epaper_mini'),
  // The kit in black and white, and up to 1.8.15 the one with red, say the same.
  ...board('gray', wide, small, 'xiao_epaper_display'),
  ...board('red kit', wide, small, 'xiao_epaper_display', 'xiao_epaper_3clr'),
  ...board('one bit', wide, small, 'seeed_sticky', 'reTerminal Sticky'),
  ...board('two bits', [400, 300], small, 'crowpanel42'),
  ...board('two bits', wide, small, 'm5_paper_mono'),
  ...board('gray', [792, 528], small, 'xteink_x3'),
  ...board('gray', [648, 480], small, 'trmnl_steam'),
  ...board('bwry', wide, small, 'og_4clr'),
  ...board('spectra6', wide, small, 'reterminal_e1002', 'reTerminal E1002', 'xiao_epaper_6clr'),
  ...board('spectra6', [400, 600], large, 'm5_paper_color'),
  ...board('spectra6', [1200, 1600], large, 'reterminal_e1004'),
  ...board('parallel', parallel, large, 'x', 'reterminal_e1003', 'reTerminal E1003'),
  ...board('parallel', paper, large, 'm5_papers3', 'paper_s3', 'PaperS3', 'lilygo_t5pro', 'LilyGo'),
  ...board('parallel', [1280, 720], large, 'sensoria_c5', 'Sensoria_C5', 'sensoria_s3'),
];

/** The upright screens of Kindles, which the script says the other way around: `png-width` is the longer side. */
export const kindles: readonly Board[] = (
  [
    [600, 800],
    [758, 1024],
    [1236, 1648],
    [1860, 2480],
  ] as const
).map((size) => ({ model: `Kindle ${size.join('x')}`, size, decoder: 'eips', maxBytes: Number.POSITIVE_INFINITY }));

/** Returns the headers of a board that asks for its picture. */
export function headersOf({ model, size: [width, height], decoder }: Board): Readonly<Record<string, string>> {
  if (decoder === 'eips') {
    return {
      'png-width': `${height}`,
      'png-height': `${width}`,
      'battery-voltage': '87',
      rssi: '0',
      'user-agent': 'trmnl-display/0.1.1',
    };
  }
  return { model, width: `${width}`, height: `${height}`, 'fw-version': '1.8.15', 'refresh-rate': '900', rssi: '-61' };
}
