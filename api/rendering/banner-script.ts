/** The script that knows the banners of many makers: compiled from a checkout when it is first needed, brought by a package. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The name under which a package brings it, next to this file. */
export const packedBannerScript = 'packed-banner-script.js';

let script: Promise<string> | undefined;

/**
 * Compiles the script, with the rules that it follows.
 * @param inputs gathers the paths of all files that are compiled into it
 */
export async function bundleBannerScript(inputs = new Set<string>()): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../in-page/answer-banner.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'answering',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  for (const path of Object.keys(metafile.inputs)) inputs.add(path);
  // Wrapped in a function, so that its names stay out of the page.
  return `(() => { ${outputFiles[0]?.text ?? ''}; return answering.answerBanner(); })()`;
}

/** Returns the script, whose value is a promise: whether a banner was answered. */
export function bannerScript(): Promise<string> {
  script ??= import.meta.url.endsWith('.ts')
    ? bundleBannerScript()
    : readFile(new URL(packedBannerScript, import.meta.url), 'utf8');
  return script;
}
