/**
 * Fits a document of our own before its picture is taken. Each function runs inside the page, as text: it names no
 * other function, and not itself.
 */

/** Waits for the fonts, whose glyphs decide what fits. */
export async function loadFonts(): Promise<void> {
  await Promise.allSettled(Array.from(document.fonts, (font) => font.load()));
}

/** Makes the text of `data-words` lines smaller while one of their words is longer than the line, but by a quarter at most. */
export function fitLines(): void {
  for (const line of document.querySelectorAll<HTMLElement>('[data-words]')) {
    const size = Number.parseFloat(getComputedStyle(line).fontSize);
    let whole = size;
    while (whole > Math.max(size * 0.75, 12) && line.scrollWidth > line.clientWidth) {
      whole -= size / 20;
      line.style.fontSize = `${whole}px`;
    }
    if (line.scrollWidth <= line.clientWidth) continue;
    line.style.fontSize = '';
    line.setAttribute('data-broken', '');
  }
}

/**
 * Sets `data-fit="most,least"` (rem) as large as it fits. A long word makes the text smaller while they keep two fifths of
 * what the rest would have: a smaller text is read better than one with a broken word.
 */
export function fitTexts(): void {
  const step = 0.05;
  for (const box of document.querySelectorAll<HTMLElement>('[data-fit]')) {
    const [most = 1, least = 1] = (box.dataset.fit ?? '').split(',').map(Number);
    const sizes: number[] = [most];
    for (const wrap of ['anywhere', 'normal']) {
      box.style.overflowWrap = wrap;
      let [low, high] = [Math.ceil(least / step), Math.floor(Number(sizes.at(-1)) / step)];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        box.style.fontSize = `${middle * step}rem`;
        const fits =
          box.scrollHeight <= box.clientHeight && (wrap === 'anywhere' || box.scrollWidth <= box.clientWidth);
        if (fits) low = middle;
        else high = middle - 1;
      }
      box.style.fontSize = `${low * step}rem`;
      sizes.push(low * step);
    }
    const [, broken = least, whole = least] = sizes;
    const isWhole = box.scrollWidth <= box.clientWidth;
    if (isWhole && whole >= broken * 0.4) continue;
    if (isWhole) box.dataset.whole = String(whole);
    box.style.fontSize = `${broken}rem`;
    box.setAttribute('data-broken', '');
  }
}

/** Returns the words that are longer than their line at any size, each once. */
export function longWords(): string[] {
  const words = new Set<string>();
  for (const box of document.querySelectorAll<HTMLElement>('[data-broken]')) {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { 0: word, index } of text.data.matchAll(/\S+/gu)) {
        const place = document.createRange();
        place.setStart(text, index);
        place.setEnd(text, index + word.length);
        if (place.getBoundingClientRect().width > box.clientWidth) words.add(word);
      }
    }
  }
  return [...words];
}

/** Parts words that are longer than their line: where `parted` has hyphens for them, others anywhere. */
export function breakWords(parted: Readonly<Record<string, string>>): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-broken]')) {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      text.data = text.data.replace(/\S+/gu, (word) => (Object.hasOwn(parted, word) ? (parted[word] as string) : word));
    }
    box.removeAttribute('data-broken');
    box.style.overflowWrap = 'anywhere';
    box.setAttribute('data-parted', '');
  }
}

/**
 * Makes a text smaller again until its parted words fit, or whole ones after all where they keep two fifths of that; one that
 * is too long even at the least size ends with a whole line.
 */
export function endTexts(): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-fit]')) {
    const inner = box.firstElementChild as HTMLElement;
    const least = Number(box.dataset.fit?.split(',')[1]);
    let size = Number.parseFloat(box.style.fontSize);
    const broken = size;
    if (box.hasAttribute('data-parted')) {
      box.style.overflowWrap = 'normal';
      const smallest = Math.max(least, broken * 0.4);
      while (size > smallest && (box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)) {
        size = Math.max(smallest, size * 0.985);
        box.style.fontSize = `${size}rem`;
      }
      const whole = Number(box.dataset.whole ?? 0);
      const isTooWide = box.scrollWidth > box.clientWidth;
      if (isTooWide) box.style.overflowWrap = 'anywhere';
      else if (whole >= size * 0.4) box.style.hyphens = 'none';
      size = isTooWide ? broken : whole >= size * 0.4 ? whole : size;
      box.style.fontSize = `${size}rem`;
    }
    while (size > least && box.scrollHeight > box.clientHeight) {
      size -= 0.05;
      box.style.fontSize = `${size}rem`;
    }
    if (box.scrollHeight <= box.clientHeight) continue;
    let lines = Math.ceil(box.clientHeight / Number.parseFloat(getComputedStyle(inner).lineHeight));
    inner.style.cssText = `display:-webkit-box;-webkit-box-orient:vertical;overflow:hidden;-webkit-line-clamp:${lines}`;
    while (lines > 1 && inner.offsetHeight > box.clientHeight) inner.style.webkitLineClamp = String(--lines);
  }
}

/** Takes the last items of a `data-trim` list away until the rest fits, and writes how many under `data-more`. */
export function trimLists(): void {
  for (const list of document.querySelectorAll<HTMLElement>('[data-trim]')) {
    const more = list.parentElement?.querySelector<HTMLElement>('[data-more]');
    let taken = 0;
    while (list.scrollHeight > list.clientHeight && list.lastElementChild !== null) {
      if (more) more.hidden = false;
      const last = list.lastElementChild;
      if (last.hasAttribute('data-item')) taken++;
      last.remove();
      // A day without any of its events is left out.
      while (list.lastElementChild?.hasAttribute('data-head')) list.lastElementChild.remove();
    }
    const count = more?.querySelector('[data-count]');
    if (count) count.textContent = String(taken);
  }
}

/**
 * Returns the characters that no font here has, each once: they are drawn as the same box as a code point that was never
 * given to a letter. Our own fonts have all that comes before U+0180.
 */
export function lettersWithoutFont(): string {
  const canvas = document.createElement('canvas');
  canvas.width = 32;
  canvas.height = 32;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (pen === null) return '';
  pen.font = `16px ${getComputedStyle(document.body).fontFamily}`;
  const letters = new Set(document.body.innerText.match(/[\p{L}\p{N}\p{S}\p{P}]/gu) ?? []);
  const asked = [...letters].filter((letter) => letter > '\u017f').slice(0, 3_000);
  const [box, ...drawn] = ['\u0378', ...asked].map((letter) => {
    pen.clearRect(0, 0, 32, 32);
    pen.fillText(letter, 4, 22);
    return pen.getImageData(0, 0, 32, 32).data.join();
  });
  return asked.filter((_, at) => drawn[at] === box).join('');
}
