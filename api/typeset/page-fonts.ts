import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fontFiles } from '../pages/fonts.ts';

let made: Promise<any> | undefined;
async function open() {
  const takumi = createRequire(import.meta.url)('@takumi-rs/core');
  const renderer = new takumi.Renderer({ cacheMaxBytes: 0 });
  for (const family of ['Inter', 'Literata'] as const)
    for (const { bytes, range } of fontFiles(family)) {
      const ranges = range.split(',').map((p) => {
        const [a = '', b = a] = p.trim().replace('U+', '').split('-');
        return [parseInt(a, 16), parseInt(b, 16)];
      });
      await renderer.registerFont({ name: family, data: bytes, unicodeRange: ranges });
    }
  await renderer.registerFont({
    name: 'DejaVu Sans',
    data: readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'),
  });
  return { renderer, families: ['DejaVu Sans'], missing: '' };
}
export function fontsFor(_letters: string, _language: string) {
  made ??= open();
  return made;
}
