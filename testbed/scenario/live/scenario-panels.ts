/** The glasses at the end of a scenario, with a caption about the picture that each shows. */
import sharp from 'sharp';
import type { Glass } from '../../../simulator/frame/frame.ts';
import { glassIndices, glassPng } from '../../../simulator/frame/glass.ts';
import { paragraph } from '../../report/blocks.ts';
import type { Html } from '../../report/html.ts';
import type { Reached } from '../observations.ts';
import type { PlayedScenario } from '../play-scenario.ts';

/** A glass on the page. */
export interface ShownPanel {
  readonly png: Uint8Array;
  readonly caption: string;
}

/** How wide a panel is on the page, in pixels. Under virtual time a picture has 64 pixels, which are kept as they are. */
const panelWidth = 240;
/** The most panels that a page shows. */
const maxPanels = 24;

/** Returns the glasses of the first frames of each group at the end. */
export async function panelsOf({ scenario, observations }: PlayedScenario): Promise<ShownPanel[]> {
  const each = Math.max(1, Math.floor(maxPanels / scenario.groups.length));
  const shown = scenario.groups.flatMap(({ name }) =>
    [...observations.frames.values()].filter(({ staged }) => staged.group === name).slice(0, each),
  );
  return Promise.all(
    shown.slice(0, maxPanels).map(async ({ staged, reached }) => {
      const { panel, orientation, glass } = staged.state();
      const whole = await glassPng(panel, orientation, glassIndices(panel, glass));
      const png = await sharp(whole)
        .resize({ width: panelWidth, kernel: panel.width < panelWidth ? 'nearest' : 'cubic' })
        .png()
        .toBuffer();
      return { png, caption: `${staged.serial}, ${staged.group}: ${glassInWords(glass, reached)}` };
    }),
  );
}

/**
 * Describes what a glass shows: a screen of the firmware, else the newest push that is proven, and what was pushed
 * after it. What nobody has proven may be there all the same.
 */
export function glassInWords(glass: Glass, reached: readonly Pick<Reached, 'push' | 'syncedAt'>[]): string {
  const newest = reached.at(-1);
  const proven = reached.findLast(({ syncedAt }) => syncedAt !== undefined);
  const named = ({ push }: Pick<Reached, 'push'>): string => `push ${push.number + 1}, "${push.text}"`;
  const open = newest === undefined || newest === proven ? '' : `; ${named(newest)} is not proven`;
  if (glass.shows === 'nothing') return `nothing was ever drawn${open}`;
  if (glass.shows === 'screen') return `its own screen, "${glass.screen}"${open}`;
  return proven === undefined ? `a picture that is not proven${open}` : `${named(proven)}${open}`;
}

/** Explains the colours of the panels, where they are not pictures as people see them. */
export function panelsLegend(isLive: boolean): Html {
  if (isLive) {
    return paragraph(
      'White with a border is a screen of the firmware itself: blue for pairing, red for a failure, black for all else. White is a panel that never drew.',
    );
  }
  return paragraph(
    'Under virtual time no page is drawn: a picture is 64 blocks in the inks of its panel, which are made from its content and mean nothing else. Panels of one kind that hang alike and have the same blocks show the same picture. A panel of one colour is a screen of the firmware itself: blue for pairing, red for a failure, black for all else; a white one never drew. Played with --live the panels show the words that were pushed.',
  );
}
