/** The database driver comes compiled. Where a machine cannot load it, the command says what to do. */
import { Refusal } from '../reasons/refusals.ts';
import { errorCode } from '../runtime/error-code.ts';
import { isCheckout } from '../runtime/typescript.mjs';

/** The refusal for an error of a driver that cannot be loaded; undefined for every other error. */
export function refusedLoad(error: unknown): Refusal | undefined {
  const isLoading = ['ERR_DLOPEN_FAILED', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(errorCode(error));
  if (!(isLoading && error instanceof Error && /better.sqlite3/.test(error.message))) return undefined;
  return new Refusal('bad-configuration', {
    message: 'The database driver cannot be loaded',
    hint: isCheckout
      ? 'make setup installs it again where a part of it is missing'
      : 'install the package again; it brings the driver for Linux, macOS and Windows on x64 and arm64 (docs/installing.md)',
  });
}
