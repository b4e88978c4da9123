/** Ends the process with a sentence where Node is too old for Papergate. It is imported before anything newer is read. */
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);

// The same range as `engines` in package.json.
const isSupported = major >= 24 || (major === 22 && minor >= 14);
if (!isSupported) {
  // A package brings no `.node-version`.
  const isCheckout = existsSync(new URL('../.node-version', import.meta.url));
  process.stderr.write(
    `Papergate runs on Node 22.14, 24 and newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      (isCheckout
        ? '  make setup installs a newer one into this checkout: ./papergate and make take it, and a shell after export PATH="$PWD/.node/bin:$PATH"\n'
        : '  Take Node 26 where you choose: docs/installing.md says where Node comes from\n'),
  );
  process.exit(1);
}
