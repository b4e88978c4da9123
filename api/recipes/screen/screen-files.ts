/**
 * The files that a recipe's page finds: its stylesheet, script and fonts at the page's own origin, and the first two
 * also where markup names the framework's host (RC-51). Everything else is asked of the public web.
 */
import { fontFiles } from '../../fonts/own-fonts.ts';
import { screenOrigin } from './screen-page.ts';
import { screenScript } from './screen-script.ts';
import { recipeStylesheet } from './stylesheet.ts';

/** A file as a page gets it. */
export interface ScreenFile {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

const hosts = ['trmnl.com', 'usetrmnl.com', 'www.usetrmnl.com'];

/** The addresses that are answered; `*` stands for any characters. */
export const screenPatterns: readonly string[] = [
  `${screenOrigin}/*`,
  ...hosts.flatMap((host) => [`*://${host}/css/*/plugins*`, `*://${host}/js/*/plugins*`]),
];

/** The names of fonts in recipes. Letters made of pixels are smaller than their sizes say, in percent of Inter. */
const fontNames: readonly (readonly [name: string, sizePercent: number])[] = [
  ['Inter', 100],
  ['Inter Variable', 100],
  ['NicoClean', 100],
  ['NicoPups', 81],
  ['BlockKie', 81],
];

/** Returns the file at an address, or undefined where there is none. */
export async function screenFile(address: string): Promise<ScreenFile | undefined> {
  const { origin, hostname, pathname } = new URL(address);
  const isFramework = hosts.includes(hostname);
  const isOurs = origin === screenOrigin;
  if (isOurs ? pathname === '/screen.css' : isFramework && /^\/css\/[^/]+\/plugins(?:\.min)?\.css$/.test(pathname)) {
    return { contentType: 'text/css; charset=utf-8', body: `${facesOf()}${recipeStylesheet().text}` };
  }
  if (isOurs ? pathname === '/screen.js' : isFramework && /^\/js\/[^/]+\/plugins(?:\.min)?\.js$/.test(pathname)) {
    return { contentType: 'text/javascript; charset=utf-8', body: await screenScript() };
  }
  const font = fontFiles('Inter').find(({ script }) => isOurs && pathname === `/fonts/inter-${script}.woff2`);
  return font && { contentType: 'font/woff2', body: font.bytes };
}

/** Returns the rules of the fonts. The browser asks for the files whose characters a page has. */
function facesOf(): string {
  return fontNames
    .flatMap(([name, size]) =>
      fontFiles('Inter').map(({ script, range, weights }) => {
        const source = `url("${screenOrigin}/fonts/inter-${script}.woff2") format("woff2")`;
        const look = `font-weight:${weights};size-adjust:${size}%;unicode-range:${range}`;
        return `@font-face{font-family:"${name}";${look};src:${source}}`;
      }),
    )
    .join('\n');
}
