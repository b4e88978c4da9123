/** Columns as the fields of answers: `device_id` becomes `deviceId`. */

/** The name of a column as a field. */
export type CamelCase<Column> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Column;

const fields = new Map<string, string>();

/** Returns the name of a column as a field. */
export function camelCase(column: string): string {
  const known = fields.get(column) ?? column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  fields.set(column, known);
  return known;
}

/** Returns these columns of a row as fields, in this order, with the values as they are. */
export function camelOf<Row extends object, const Columns extends readonly (keyof Row & string)[]>(
  row: Row,
  ...columns: Columns
): { [Column in Columns[number] as CamelCase<Column> & string]: Row[Column] } {
  return Object.fromEntries(columns.map((column) => [camelCase(column), row[column]])) as never;
}
