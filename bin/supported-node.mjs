/** Ends the process with a sentence where Node is too old for Papergate. It is imported before anything newer is read. */
const [major, minor] = process.versions.node.split('.').map(Number);

// As `engines` of package.json has it.
const isSupported = major >= 24 || (major === 22 && minor >= 14) || (major === 20 && minor >= 19);
if (!isSupported) {
  process.stderr.write(
    `Papergate runs on Node 20.19, 22.14, 24 and newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      '  Take Node 26 where you choose: docs/installing.md says where Node comes from\n',
  );
  process.exit(1);
}
