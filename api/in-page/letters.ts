/** The letters of a page, and which of them no font has. */

/** Letters by the font of their text. */
export type LettersByFont = readonly (readonly [font: string, letters: string])[];

/** How much of a page is read: nodes, characters, letters to look at, and milliseconds. */
interface LetterBounds {
  readonly nodes: number;
  readonly characters: number;
  readonly letters: number;
  readonly ms: number;
}

/**
 * Runs alongside the page, as text: it names no other function. Reads the letters within the picture by the font of their
 * text. Every machine's fonts have those before U+0180 and the usual marks of punctuation.
 */
export function lettersByFont(most: LetterBounds): Map<string, Set<string>> {
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
        // Blank letters look like the blank boxes of some fonts, but are not missing.
        const kinds = /(?=[^\0-\u017f\u2010-\u2027\u20ac])(?![\p{DI}\u2800])[\p{L}\p{N}\p{S}\p{P}]/gu;
        const found = new Set((text.match(kinds) ?? []).filter((letter) => !known.has(letter)));
        if (found.size === 0) continue;
        const { width, height } = parent.getBoundingClientRect();
        // A text for screen readers alone stands in a box of one pixel.
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
 * Runs alongside the page, as text: it names no other function. Draws characters where nobody sees it, and separates
 * those that look like an unassigned code point from the others.
 */
export function drawnAsBoxes(byFont: LettersByFont, ms: number): [had: string, boxes: string] {
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
