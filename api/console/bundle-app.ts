/**
 * Compiles the console's browser code in memory: a checkout needs no build beforehand, and a package contains the
 * result from when it was packed. Names hold a digest of the content, so that browsers keep the files for good.
 */
import { extname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type OutputFile } from 'esbuild';
import type { AppBundle, AppFile } from './packed-app.ts';

const entry = fileURLToPath(new URL('../../console/main.tsx', import.meta.url));
const styleEntry = fileURLToPath(new URL('../../console/app.css', import.meta.url));
const workerEntry = fileURLToPath(new URL('../../console/service-worker.ts', import.meta.url));
/** Nothing is written there: the names of outputs are relative to it. */
const outFolder = fileURLToPath(new URL('../../console/out/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * Compiles the app. It takes some tenths of a second, so it is done once.
 * @param inputs gathers the paths of all files that are compiled into it
 */
export async function bundleApp(inputs = new Set<string>()): Promise<AppBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: { main: entry, app: styleEntry },
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    metafile: true,
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    logLevel: 'silent',
  });
  for (const path of Object.keys(metafile.inputs)) inputs.add(path);
  const named = (file: OutputFile): string => relative(outFolder, file.path);
  const files = new Map(
    await Promise.all(outputFiles.map(async (file) => [named(file), await compress(file)] as const)),
  );
  const script = [...files.keys()].find((name) => /^main-.*\.js$/.test(name)) ?? '';
  const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${script}`))?.[1];
  const preloads = (output?.imports ?? [])
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  const style = [...files.keys()].find((name) => /^app-.*\.css$/.test(name)) ?? '';
  const languages = Object.entries(metafile.outputs)
    .filter(([, { inputs }]) => Object.keys(inputs).some((path) => /\/languages\/\w+\.json$/.test(path)))
    .map(([path]) => path.slice(path.lastIndexOf('/') + 1));
  const common = [...files.keys()].filter((name) => !languages.includes(name));
  return { files, script, style, preloads, worker: await bundleWorker(common.sort(), languages.sort(), inputs) };
}

/** Compiles the service worker. Other files make it another worker, which keeps them in place of the old ones. */
async function bundleWorker(
  appFiles: readonly string[],
  languageFiles: readonly string[],
  inputs: Set<string>,
): Promise<Uint8Array> {
  const { outputFiles, metafile } = await build({
    entryPoints: [workerEntry],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    metafile: true,
    write: false,
    define: { appFiles: JSON.stringify(appFiles), languageFiles: JSON.stringify(languageFiles) },
    logLevel: 'silent',
  });
  for (const path of Object.keys(metafile.inputs)) inputs.add(path);
  const [worker] = outputFiles;
  if (worker === undefined) throw new Error('the service worker was not compiled');
  return worker.contents;
}

const asBrotli = promisify(brotliCompress);
const asGzip = promisify(gzip);

async function compress({ path, contents }: OutputFile): Promise<AppFile> {
  const [br, gzipped] = await Promise.all([
    // Above 6 it takes 30 times as long for a hundredth of the bytes.
    asBrotli(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    asGzip(contents, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return { type: types[extname(path)] ?? 'application/octet-stream', plain: contents, br, gzip: gzipped };
}
