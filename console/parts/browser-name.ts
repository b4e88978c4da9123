/** Names the browser and the system that a user agent stands for, as people call them. */

/** Every browser also names those that it is like, so the first of these that is found is the one. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bChromium\//, 'Chromium'],
  [/\bVersion\/\S+ .*Safari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Reads the browser and the system from a user agent; undefined for a part that it does not name. */
export function readUserAgent(agent: string): { readonly browser?: string; readonly system?: string } {
  const first = (known: typeof browsers): string | undefined => known.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [first(browsers), first(systems)];
  return { ...(browser !== undefined && { browser }), ...(system !== undefined && { system }) };
}
