/** Numbers and sizes in the viewer's words. */
import { language } from '../ground/words.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a size such as "1.2 MB". */
export function inBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const format = { style: 'unit', unit: units[step] ?? 'byte', maximumFractionDigits: step < 2 ? 0 : 1 } as const;
  return new Intl.NumberFormat(language.value, format).format(bytes / 1000 ** step);
}

/** Returns a number with few digits. */
export function inNumbers(value: number): string {
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}
