/**
 * Finds the letters of a page by somebody else that no font has: neither one of this machine nor one of the page. What
 * looks for them has a world of its own beside the page's scripts, with globals that these cannot replace.
 */
import type { CDPSession, Page } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';

/** The bounds: a page may have text and fonts without end. Reading may take `ms`, and so may drawing. */
const bounds = { nodes: 20_000, characters: 100_000, letters: 3_000, ms: 200 };
/** The time after which the browser ends what looks, and after which nobody waits for a page that is busy itself. */
const endMs = 500;
const waitMs = 750;
/** By this name no page can give a font of its own. The machine's fonts stand in for every other font. */
const machineFont = '16px sans-serif';
/** More than all letters that people write with. */
const maxKnown = 50_000;

/** Letters by the font of their text. */
type LettersByFont = readonly (readonly [font: string, letters: string])[];

/** A page that is about to be looked at. */
export interface Look {
  /**
   * Returns the letters that are drawn as boxes, each once. A page that leaves no time for it, or goes away, has none: its
   * picture is taken before.
   */
  missing(): Promise<string>;
}

/** Begins to look at a page: what that takes to open may be opened while the page's picture is taken. */
export type BeginLook = (page: Page) => Look;

/** Opens the search. It remembers which letters this machine's fonts have, for further pages. */
export function findMissing(clock: Clock): BeginLook {
  const known = new Map<string, boolean>();
  return (page) => {
    const opened = openWorld(page);
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

/** A world beside the page's own. */
interface World {
  readonly session: CDPSession;
  readonly contextId: number;
}

async function openWorld(page: Page): Promise<World> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  return { session, contextId: executionContextId };
}

async function lookIn(world: World, known: Map<string, boolean>): Promise<string> {
  const reading = `Array.from((${lettersByFont})(${JSON.stringify(bounds)}), ([font, found]) => [font, Array.from(found).join('')])`;
  const [byFont, hasFonts] = (await run(world, `[${reading}, document.fonts.size > 0]`)) as [LettersByFont, boolean];
  const letters = new Set(byFont.flatMap(([, each]) => Array.from(each)));
  const unknown = Array.from(letters).filter((letter) => !known.has(letter));
  if (unknown.length > 0) {
    const [had, lacking] = await draw(world, [[machineFont, unknown.join('')]]);
    if (known.size > maxKnown) known.clear();
    for (const letter of had) known.set(letter, true);
    for (const letter of lacking) known.set(letter, false);
  }
  const isLacking = (letter: string): boolean => known.get(letter) === false;
  if (!hasFonts) return Array.from(letters).filter(isLacking).join('');
  // What the machine lacks the page's own fonts may have.
  const asked = byFont
    .map(([font, each]) => [font, Array.from(each).filter(isLacking).join('')] as const)
    .filter(([, each]) => each !== '');
  return asked.length === 0 ? '' : Array.from(new Set((await draw(world, asked))[1])).join('');
}

function draw(world: World, byFont: LettersByFont): Promise<[had: string, boxes: string]> {
  return run(world, `(${drawnAsBoxes})(${JSON.stringify(byFont)}, ${bounds.ms})`) as Promise<[string, string]>;
}

async function run({ session, contextId }: World, expression: string): Promise<unknown> {
  const options = { contextId, returnByValue: true, timeout: endMs };
  const { result } = await session.send('Runtime.evaluate', { expression, ...options });
  return result.value;
}

/**
 * Runs beside the page, as text: it names no other function. Reads the letters within the picture by the font of their
 * text. Every machine's fonts have those before U+0180 and the usual marks of punctuation.
 */
function lettersByFont(most: typeof bounds): Map<string, Set<string>> {
  const end = performance.now() + most.ms;
  const byFont = new Map<string, Set<string>>();
  const roots: Node[] = [document];
  let [nodes, characters, letters] = [most.nodes, most.characters, most.letters];
  for (const root of roots) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      if (--nodes < 0) return byFont;
      // Asking for the kind by its number takes half the time, and most nodes of most pages are asked nothing else.
      if (node.nodeType === Node.ELEMENT_NODE) {
        const { shadowRoot } = node as Element;
        if (shadowRoot !== null) roots.push(shadowRoot);
        continue;
      }
      const words = node as Text;
      // Parts of a long text are looked at each, because only some of them may be within the picture.
      for (let at = 0; at < words.length; at += 500) {
        const text = words.substringData(at, 500);
        if (performance.now() > end || characters <= 0 || letters <= 0) return byFont;
        if (!/[^\0-\u017f\u2010-\u2027\u20ac]/.test(text)) continue;
        const parent = words.parentElement ?? (words.parentNode as ShadowRoot).host;
        if (parent.localName === 'script' || parent.localName === 'style') break;
        characters -= text.length;
        const { fontStyle, fontWeight, fontFamily } = getComputedStyle(parent);
        const font = `${fontStyle} ${fontWeight} 16px ${fontFamily}`;
        const known = byFont.get(font) ?? new Set();
        // Letters that are blank look like the blank boxes of some fonts, and are none.
        const kinds = /(?=[^\0-\u017f\u2010-\u2027\u20ac])(?![\p{DI}\u2800])[\p{L}\p{N}\p{S}\p{P}]/gu;
        const found = new Set((text.match(kinds) ?? []).filter((letter) => !known.has(letter)));
        if (found.size === 0) continue;
        const { width, height } = parent.getBoundingClientRect();
        // A text for readers by ear alone stands in a box of one pixel.
        if (width * height === 1 || !parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) break;
        const range = new Range();
        range.setStart(words, at);
        range.setEnd(words, at + text.length);
        const place = range.getBoundingClientRect();
        const isWithin = place.bottom > 0 && place.right > 0 && place.top < innerHeight && place.left < innerWidth;
        if (!isWithin || place.width * place.height === 0) continue;
        for (const letter of found) if (letters-- > 0) known.add(letter);
        byFont.set(font, known);
      }
    }
  }
  return byFont;
}

/**
 * Runs beside the page, as text: it names no other function. Draws letters where nobody sees it, and tells those that look
 * like a code point that was never given to a letter from the others.
 */
function drawnAsBoxes(byFont: LettersByFont, ms: number): [had: string, boxes: string] {
  const end = performance.now() + ms;
  let [had, boxes] = ['', ''];
  const pen = new OffscreenCanvas(32, 32).getContext('2d', { willReadFrequently: true });
  if (pen === null) return [had, boxes];
  for (const [font, letters] of byFont) {
    pen.font = font;
    let box: Uint32Array | undefined;
    for (const letter of ['\u0378', ...letters]) {
      if (performance.now() > end) return [had, boxes];
      pen.clearRect(0, 0, 32, 32);
      pen.fillText(letter, 4, 22);
      const drawn = new Uint32Array(pen.getImageData(0, 0, 32, 32).data.buffer);
      if (box === undefined) box = drawn;
      else if (drawn.every((pixel, at) => pixel === box?.[at])) boxes += letter;
      else had += letter;
    }
  }
  return [had, boxes];
}
