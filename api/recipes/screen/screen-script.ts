/** The script of every recipe's page: compiled from a checkout when it is first needed, brought by a package. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The name under which a package brings it, next to this file. */
export const packedScreenScript = 'packed-screen-script.js';

let script: Promise<string> | undefined;

/**
 * Compiles the script.
 * @param inputs gathers the paths of all files that are compiled into it
 */
export async function bundleScreenScript(inputs = new Set<string>()): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../in-page/screen/run-screen.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  for (const path of Object.keys(metafile.inputs)) inputs.add(path);
  return outputFiles[0]?.text ?? '';
}

/** Returns the script. */
export function screenScript(): Promise<string> {
  script ??= import.meta.url.endsWith('.ts')
    ? bundleScreenScript()
    : readFile(new URL(packedScreenScript, import.meta.url), 'utf8');
  return script;
}
