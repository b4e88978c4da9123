/** Values of settings as people write them. */

/** Returns a text, a number or a truth value as a text; everything else is an empty one. */
export const writtenText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Texts in other languages, by their tags and then by their names. */
export type TextsByTag<Name extends string> = Readonly<Record<string, Readonly<Partial<Record<Name, string>>>>>;

/** Returns the texts whose keys end in a language's tag: `name-de` is the `name` of `de`. */
export function textsByTag<Name extends string>(
  written: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): TextsByTag<Name> {
  const texts: Record<string, Partial<Record<Name, string>>> = {};
  for (const [key, value] of Object.entries(written)) {
    const [, base, tag = ''] = taggedKey.exec(key) ?? [];
    const name = names.find((one) => one === base);
    if (name !== undefined) texts[tag] = { ...texts[tag], [name]: writtenText(value) };
  }
  return texts;
}

/** Returns the values whose keys are a name with a language's tag, by the tag. */
export const valuesByTag = (written: Readonly<Record<string, unknown>>, name: string): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(written).flatMap(([key, value]): readonly [string, unknown][] => {
      const [, base, tag = ''] = taggedKey.exec(key) ?? [];
      return base === name ? [[tag, value]] : [];
    }),
  );

const taggedKey = /^([a-z_]+)-([A-Za-z]{2,3}(?:-\w{2,4})?)$/;

/** Returns whether it is a yes: quoted or not, `yes` and `true` mean the same (RC-5). */
export const isYes = (value: unknown): boolean => /^(?:yes|true)$/i.test(writtenText(value));

/** Returns whether it is a no; an empty text is neither. */
export const isNo = (value: unknown): boolean => /^(?:no|false)$/i.test(writtenText(value));
