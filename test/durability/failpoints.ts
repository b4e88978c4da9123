/** The named lines of the intake, in the order in which a submission comes by, and those of its callbacks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** While a work is held at one of these it holds the database's writer too. */
export const writerPoints = [
  'intake.before-row',
  'intake.row-written',
  'acceptance.begun',
  'acceptance.row-written',
  'acceptance.source-replaced',
  'acceptance.older-superseded',
  'acceptance.outbox-written',
] as const;

export const intakePoints = [
  'intake.checked',
  'intake.before-row',
  'intake.row-written',
  'intake.receiving',
  'file.opened',
  'file.written',
  'file.synced',
  'file.renamed',
  'file.durable',
  'acceptance.begun',
  'acceptance.row-written',
  'acceptance.source-replaced',
  'acceptance.older-superseded',
  'acceptance.outbox-written',
  'acceptance.committed',
  'intake.before-202',
] as const;

export const callbackPoints = ['callback.claimed', 'callback.sent'] as const;

/** Every name that stands in the code. */
export function placedPoints(): string[] {
  const root = join(import.meta.dirname, '../..');
  const files = ['api', 'gateway', 'runtime'].flatMap((top) =>
    readdirSync(join(root, top), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  );
  return files.flatMap((text) =>
    [...text.matchAll(/await (?:deps\.)?at\?\.\('([^']+)'\)/g)].map(([, name = '']) => name),
  );
}
