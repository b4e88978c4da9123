/**
 * Finds the characters of a page by somebody else that no font has: neither one of this machine nor one of the page.
 * The search runs in an isolated world next to the page's scripts, with globals that these cannot replace.
 */
import type { Page } from 'puppeteer';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';
import { drawnAsBoxes, type LettersByFont, lettersByFont } from '../in-page/letters.ts';
import { openSideWorld, runIn, type SideWorld } from './beside-page.ts';

/** The bounds: a page may have text and fonts without end. Reading may take `ms`, and so may drawing. */
const bounds = { nodes: 20_000, characters: 100_000, letters: 3_000, ms: 200 };
/** The browser ends the search after `endMs`; a page too busy to answer is given up after `waitMs`. */
const endMs = 500;
const waitMs = 750;
/** A name under which no page can define a font. The machine's fonts stand in for every other font. */
const machineFont = '16px sans-serif';
/** More than all characters that people write with. */
const maxKnown = 50_000;

/** A page that is about to be looked at. */
export interface Look {
  /**
   * Returns the characters that are drawn as boxes, each once. A page that leaves no time for it, or goes away, has none: its
   * picture is taken before.
   */
  missing(): Promise<string>;
}

/** Begins to look at a page: what that takes to open may be opened while the page's picture is taken. */
export type BeginLook = (page: Page) => Look;

/** Opens the search. It remembers which characters this machine's fonts have, for further pages. */
export function findMissing(clock: Clock): BeginLook {
  const known = new BoundedMap<string, boolean>(maxKnown);
  return (page) => {
    const opened = openSideWorld(page);
    opened.catch(() => {});
    return {
      async missing() {
        try {
          const found = await limitTime(
            clock,
            waitMs,
            opened.then((world) => lookIn(world, known)),
          );
          return found === timedOut ? '' : found;
        } catch {
          return '';
        } finally {
          opened.then(({ session }) => session.detach()).catch(() => {});
        }
      },
    };
  };
}

async function lookIn(world: SideWorld, known: Map<string, boolean>): Promise<string> {
  const reading = `Array.from((${lettersByFont})(${JSON.stringify(bounds)}), ([font, found]) => [font, Array.from(found).join('')])`;
  const [byFont, hasFonts] = (await runIn(world, `[${reading}, document.fonts.size > 0]`, endMs)) as [
    LettersByFont,
    boolean,
  ];
  const letters = new Set(byFont.flatMap(([, each]) => Array.from(each)));
  const unknown = Array.from(letters).filter((letter) => !known.has(letter));
  if (unknown.length > 0) {
    const [had, lacking] = await draw(world, [[machineFont, unknown.join('')]]);
    for (const letter of had) known.set(letter, true);
    for (const letter of lacking) known.set(letter, false);
  }
  const isLacking = (letter: string): boolean => known.get(letter) === false;
  if (!hasFonts) return Array.from(letters).filter(isLacking).join('');
  // The page's own fonts may have what the machine lacks.
  const asked = byFont
    .map(([font, each]) => [font, Array.from(each).filter(isLacking).join('')] as const)
    .filter(([, each]) => each !== '');
  return asked.length === 0 ? '' : Array.from(new Set((await draw(world, asked))[1])).join('');
}

function draw(world: SideWorld, byFont: LettersByFont): Promise<[had: string, boxes: string]> {
  return runIn(world, `(${drawnAsBoxes})(${JSON.stringify(byFont)}, ${bounds.ms})`, endMs) as Promise<[string, string]>;
}
