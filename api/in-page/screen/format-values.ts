/** Numbers that are written as people of a country write them, and shortened where they do not fit. */

const written = /^([$€£¥₴₹₪₩₫₱₽₿]?)\s*(-?\d[\d,]*(?:\.\d+)?)\s*([$€£¥₴₹₪₩₫₱₽₿]?)$/;

/** Writes the numbers of a screen. A text that is more than a number stays as it is. */
export function formatValues(screen: HTMLElement): void {
  for (const element of screen.querySelectorAll<HTMLElement>(
    '[data-value-format="true"], [data-value-type="number"]',
  )) {
    const [, before = '', digits, behind = ''] = written.exec(element.textContent.trim()) ?? [];
    if (digits === undefined || element.childElementCount > 0) continue;
    const value = Number(digits.replaceAll(',', ''));
    const locale = element.dataset.valueLocale ?? 'en-US';
    for (const format of formatsOf(digits)) {
      element.textContent = `${before}${value.toLocaleString(locale, format)}${behind}`;
      if (isWithin(element)) break;
    }
  }
}

/** Returns the ways to write a number, from the longest to the shortest. */
function formatsOf(digits: string): Intl.NumberFormatOptions[] {
  const decimals = digits.split('.')[1]?.length ?? 0;
  const short = [2, 1, 0].map((maximumFractionDigits) => ({ notation: 'compact' as const, maximumFractionDigits }));
  return [{ minimumFractionDigits: decimals, maximumFractionDigits: decimals }, ...short];
}

function isWithin(element: HTMLElement): boolean {
  const parent = element.parentElement;
  return parent === null || Math.max(element.offsetWidth, element.scrollWidth) <= parent.clientWidth + 1;
}
