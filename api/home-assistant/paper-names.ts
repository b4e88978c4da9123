/** The names under which papers stand among the choices of Home Assistant. */

/** The longest name of a paper: a state of Home Assistant has 255 characters at most. */
const maxNameLength = 100;

/**
 * Names papers so that each name stands for one: a name that is taken gets a number. `None` means in Home Assistant that
 * nothing is chosen.
 */
export function uniqueNames(papers: readonly { readonly id: string; readonly title: string }[]): Map<string, string> {
  const taken = new Set(['none']);
  const names = new Map<string, string>();
  for (const { id, title } of papers) {
    const plain =
      title
        .replaceAll(/\p{C}+/gu, ' ')
        .trim()
        .slice(0, maxNameLength) || 'Paper';
    let name = plain;
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${plain} (${number})`;
    taken.add(name.toLowerCase());
    names.set(id, name);
  }
  return names;
}
