/** The licence of a recipe, as the files next to it name it. */

/** Beginnings of licence texts, by their SPDX names. */
const licences: readonly (readonly [RegExp, string])[] = [
  [/\bMIT License\b|Permission is hereby granted, free of charge/i, 'MIT'],
  [/GNU AFFERO GENERAL PUBLIC LICENSE/i, 'AGPL-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE/i, 'LGPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE/i, 'GPL-3.0'],
  [/Apache License/i, 'Apache-2.0'],
  [/Mozilla Public License/i, 'MPL-2.0'],
  [/free and unencumbered software released into the public domain/i, 'Unlicense'],
  [/CC0 1\.0|Creative Commons Zero/i, 'CC0-1.0'],
  [/Redistribution and use in source and binary forms/i, 'BSD'],
];

/** Returns the licence of files by their paths; empty where none is known (RC-60). */
export function licenceOf(files: ReadonlyMap<string, string>): string {
  const paths = [...files.keys()].filter((path) => /(?:^|\/)LICEN[CS]E(?:\.\w+)?$/.test(path));
  const [nearest] = paths.sort((one, other) => one.length - other.length);
  const text = nearest === undefined ? '' : (files.get(nearest) ?? '').slice(0, 2_000);
  return licences.find(([pattern]) => pattern.test(text))?.[1] ?? '';
}
