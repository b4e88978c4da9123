/**
 * The first file of a dithering thread. Node 20 does not hand a loader down to it, so that it is JavaScript, and has the
 * rest read whatever started this process.
 */
import { readTypeScript } from '../../../runtime/typescript.mjs';

await readTypeScript();
await import('./worker.ts');
