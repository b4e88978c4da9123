/**
 * Fits a document of our own before its picture is taken. Each function runs inside the page, as text: it names no
 * other function, and not itself.
 */

/** Waits for the fonts, whose letters decide what fits. */
export async function loadFonts(): Promise<void> {
  await Promise.allSettled(Array.from(document.fonts, (font) => font.load()));
}

/** Makes the letters of `data-words` lines smaller while one of their words is longer than the line, but by a quarter at most. */
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
 * Sets `data-fit="most,least"` (rem) as large as it fits. A long word makes the letters smaller while they keep two fifths of
 * what the rest would have: a smaller text is read better than one with a word broken in the wrong place.
 */
export function fitTexts(): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-fit]')) {
    let [size = 1, least = 1] = (box.dataset.fit ?? '').split(',').map(Number);
    box.style.overflowWrap = 'anywhere';
    box.style.fontSize = `${size}rem`;
    while (size > least && box.scrollHeight > box.clientHeight) {
      size -= 0.05;
      box.style.fontSize = `${size}rem`;
    }
    box.style.overflowWrap = 'normal';
    let whole = size;
    while (whole > Math.max(least, size * 0.4) && box.scrollWidth > box.clientWidth) {
      whole -= 0.05;
      box.style.fontSize = `${whole}rem`;
    }
    if (box.scrollWidth <= box.clientWidth) continue;
    box.style.fontSize = `${size}rem`;
    box.setAttribute('data-broken', '');
  }
}

/**
 * Makes a text smaller again that hyphens made longer; one that is too long even at the least size ends with a whole
 * line.
 */
export function endTexts(): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-fit]')) {
    const inner = box.firstElementChild as HTMLElement;
    const least = Number(box.dataset.fit?.split(',')[1]);
    let size = Number.parseFloat(box.style.fontSize);
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

/** Breaks words that are longer than their line at any size: with a hyphen, addresses and numbers without. */
export function breakWords(): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-broken]')) {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      text.data = text.data.replace(/\S+/gu, (word, at: number) => {
        const place = document.createRange();
        place.setStart(text, at);
        place.setEnd(text, at + word.length);
        const isLong = place.getBoundingClientRect().width > box.clientWidth;
        // Joined scripts have no hyphens, and letters of other scripts may be parted anywhere.
        const isWord = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+\p{P}?$/u.test(word);
        return isLong && isWord ? word.replace(/(?<=\p{L}{3})(?=\p{L}{3})/gu, '\u00ad') : word;
      });
    }
    box.removeAttribute('data-broken');
    box.style.overflowWrap = 'anywhere';
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
 * Returns the letters that no font here has, each once: they are drawn as the same box as a code point that was never
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
