/**
 * The files for the settings of a paper's integration: a policy that lets another origin be framed, and the modules with
 * which any application hosts settings pages.
 */
import type { ServerResponse } from 'node:http';
import { type LoadedFiles, serveLoaded } from './loaded-files.ts';

/** The modules as they stand, under one path, so that their imports of one another hold. */
const modules: LoadedFiles = {
  '/console/settings-frame/settings-host.mjs': new URL(
    '../integration/settings-frame/settings-host.mjs',
    import.meta.url,
  ),
  '/console/settings-frame/read-frame-message.mjs': new URL(
    '../integration/settings-frame/read-frame-message.mjs',
    import.meta.url,
  ),
  '/console/settings-frame/settings-form.mjs': new URL(
    '../integration/settings-frame/settings-form.mjs',
    import.meta.url,
  ),
  '/console/settings-frame/form-schema.mjs': new URL('../integration/settings-frame/form-schema.mjs', import.meta.url),
  '/console/settings-frame/form-field.mjs': new URL('../integration/settings-frame/form-field.mjs', import.meta.url),
  '/console/settings-frame/jedison.mjs': new URL(import.meta.resolve('jedison')),
};

/** Answers a module; false for every other path. */
export const serveFrameModule = (path: string, response: ServerResponse): boolean =>
  serveLoaded(modules, path, response);

/**
 * Returns what may be framed at a place of the console, as parts of its policy: nothing, except at the settings of a
 * paper. Which origin that is, is known once the person has signed in: the screen then narrows `frame-src` to it alone.
 * @param allowLoopback settings pages on loopback may be framed
 */
export function framedAt(path: string, allowLoopback: boolean): readonly string[] {
  if (!/^\/console\/papers\/[0-9a-f]{24}\/settings\/?$/.test(path)) return [];
  return [`frame-src ${allowLoopback ? 'https: http:' : 'https:'}`];
}
