/** The console's compiled browser code, and the folder in which a package brings it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** One file of the app, plain and compressed. */
export interface AppFile {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The app: its files by name, and those that the page names. All names are below `/console/app/`. */
export interface AppBundle {
  readonly files: ReadonlyMap<string, AppFile>;
  readonly script: string;
  readonly style: string;
  /** Scripts that `script` loads at once. */
  readonly preloads: readonly string[];
  /** The service worker, a classic script that knows the names of all files. */
  readonly worker: Uint8Array;
}

/** The list of a packed app: which files its page names, and the type of each file. */
interface Contents {
  readonly script: string;
  readonly style: string;
  readonly preloads: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

const encodings = { plain: '', br: '.br', gzip: '.gz' } as const;
const workerName = 'service-worker.js';
const contentsName = 'contents.json';

/** Writes the app into a folder, which is made, as `readApp` reads it. */
export async function writeApp(folder: URL, { files, worker, ...named }: AppBundle): Promise<void> {
  await mkdir(folder, { recursive: true });
  const ofName: Record<string, string> = {};
  for (const [name, file] of files) {
    ofName[name] = file.type;
    for (const [encoding, end] of Object.entries(encodings)) {
      await writeFile(new URL(name + end, folder), file[encoding as keyof typeof encodings]);
    }
  }
  await writeFile(new URL(workerName, folder), worker);
  await writeFile(new URL(contentsName, folder), JSON.stringify({ ...named, files: ofName } satisfies Contents));
}

/** Reads what `writeApp` wrote. */
export async function readApp(folder: URL): Promise<AppBundle> {
  const read = (name: string): Promise<Uint8Array> => readFile(fileURLToPath(new URL(name, folder)));
  const { files, ...named }: Contents = JSON.parse(Buffer.from(await read(contentsName)).toString());
  const all = Object.entries(files).map(async ([name, type]): Promise<[string, AppFile]> => {
    const [plain, br, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)]);
    return [name, { type, plain, br, gzip }];
  });
  return { ...named, files: new Map(await Promise.all(all)), worker: await read(workerName) };
}
