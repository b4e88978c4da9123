/** The version that Nextcloud and ownCloud state without a login. */
import { z } from 'zod';
import { askForFiles } from '../ask-for-files.ts';
import { type SourceDeps, SourceFault } from '../source.ts';

/** A way to public links, by the program that has it (WD-3). */
export type PublicWay = 'nextcloud-29' | 'nextcloud' | 'owncloud';

/** A cloud, as it names itself. */
export interface Cloud {
  /** The program and its version, such as `Nextcloud 31.0.2`. */
  readonly name: string;
  readonly ways: readonly PublicWay[];
}

const status = z.object({
  productname: z.string().min(1).max(60),
  versionstring: z.string().max(40).catch(''),
  version: z.string().max(40),
});

/** Asks a cloud for its version; undefined where there is none, or it does not say. */
export async function askCloud(deps: SourceDeps, cloud: string): Promise<Cloud | undefined> {
  const url = new URL('status.php', cloud);
  try {
    const answer = await askForFiles(deps, { url, headers: { accept: 'application/json' }, readLimitBytes: 16 * 1024 });
    if (answer.status !== 200) return undefined;
    const { productname, versionstring, version } = status.parse(JSON.parse(answer.body.toString()));
    return { name: `${productname} ${versionstring || version}`, ways: waysOfCloud(productname, version) };
  } catch (error) {
    // The files themselves say better what is wrong.
    if (error instanceof SourceFault && error.kind === 'away' && deps.signal.aborted) throw error;
    return undefined;
  }
}

/** Themes rename Nextcloud, so that every unknown name may be one. */
function waysOfCloud(product: string, version: string): readonly PublicWay[] {
  if (/owncloud|infinite scale|opencloud/i.test(product)) return ['owncloud', 'nextcloud'];
  return [Number.parseInt(version, 10) >= 29 ? 'nextcloud-29' : 'nextcloud'];
}
