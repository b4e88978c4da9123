/**
 * Tables, each declared once: its SQL makes it, and the same words are the types of its rows.
 *
 * A column is `type [not null] [default …] [references …]` as SQL writes it. Types are `text`, `integer` and `real` (64
 * bits on both databases), and `blob`.
 */
import type { Knex } from 'knex';

/** The columns of a table, their SQL by their names. */
type Columns = Readonly<Record<string, string>>;

/** A declared table. */
export interface Table<Name extends string = string, Declared extends Columns = Columns> {
  readonly name: Name;
  readonly columns: Declared;
  /** The values of the columns that an insert leaves out and may leave out. */
  readonly firstValues: Readonly<Record<string, string | number | null>>;
  /** The statements that create it with its indexes, in order. */
  readonly statements: readonly string[];
}

/**
 * Declares a table.
 * @param more constraints of several columns, and statements that create its indexes
 */
export function defineTable<const Name extends string, const Declared extends Columns>(
  name: Name,
  columns: Declared,
  more: readonly string[] = [],
): Table<Name, Declared> {
  const isIndex = (sql: string): boolean => sql.startsWith('create ');
  const parts = [
    ...Object.entries(columns).map(([column, sql]) => `${column} ${sql}`),
    ...more.filter((sql) => !isIndex(sql)),
  ];
  const statements = [`create table ${name} (${parts.join(', ')})`, ...more.filter(isIndex)];
  return { name, columns, firstValues: firstValuesOf(columns), statements };
}

function firstValuesOf(columns: Columns): Record<string, string | number | null> {
  const first: Record<string, string | number | null> = {};
  for (const [column, sql] of Object.entries(columns)) {
    const [, text, number] = / default (?:'([^']*)'|(-?\d+))/.exec(sql) ?? [];
    if (number !== undefined) first[column] = Number(number);
    else if (text !== undefined) first[column] = text;
    else if (!/ (?:not null|primary key)/.test(sql)) first[column] = null;
  }
  return first;
}

type ColumnValue<Sql> = Sql extends `text${string}`
  ? string
  : Sql extends `integer${string}` | `real${string}`
    ? number
    : Sql extends `blob${string}`
      ? Buffer
      : never;
type IsNullable<Sql> = Sql extends `${string}not null${string}` | `${string}primary key${string}` ? never : null;
/** The columns that an insert may leave out: those that may be null, and those with a first value. */
type Optional<Declared extends Columns> = {
  [Column in keyof Declared]: Declared[Column] extends `${string} default ${string}`
    ? Column
    : null extends IsNullable<Declared[Column]>
      ? Column
      : never;
}[keyof Declared];

/** The columns that a declaration has. */
type ColumnsOf<Declared> = Declared extends Table<string, infer Own> ? Own : never;

/**
 * A row as it is read. `Narrower` gives columns a type that their SQL does not express, such as the words of a list.
 */
export type RowOf<Declared, Narrower = unknown> = Simplified<
  {
    -readonly [Column in keyof ColumnsOf<Declared> as Column extends keyof Narrower ? never : Column]:
      | ColumnValue<ColumnsOf<Declared>[Column]>
      | IsNullable<ColumnsOf<Declared>[Column]>;
  } & Narrower
>;

type TableIn<Tables extends readonly Table[], Name> = Extract<Tables[number], { readonly name: Name }>;

/** A row of one of a room's tables, by the table's name. */
export type RowIn<Tables extends readonly Table[], Name extends Tables[number]['name'], Narrower = unknown> = RowOf<
  TableIn<Tables, Name>,
  Narrower
>;

/** The names of the columns of one of a room's tables. */
export const columnsIn = <Tables extends readonly Table[]>(
  tables: Tables,
  name: Tables[number]['name'],
): readonly string[] => Object.keys(tables.find((table) => table.name === name)?.columns ?? {});

/** Values as a statement takes them: the database may work one out. */
type Written<Row> = { [Column in keyof Row]: Row[Column] | Knex.Raw };

/** A row as it is inserted. */
type NewRowOf<Declared, Narrower = unknown> = Simplified<
  Omit<RowOf<Declared, Narrower>, Optional<ColumnsOf<Declared>>> &
    Partial<Pick<RowOf<Declared, Narrower>, keyof RowOf<Declared, Narrower> & Optional<ColumnsOf<Declared>>>>
>;

/** A row as it is inserted into one of a room's tables: what may be null or has a first value may be left out. */
export type NewRowIn<
  Tables extends readonly Table[],
  Name extends Tables[number]['name'],
  Narrower = unknown,
> = NewRowOf<TableIn<Tables, Name>, Narrower>;

/** The value of a column that an insert leaves out. */
type FirstValue<Sql> = Sql extends `${string} default '${infer Text}'${string}`
  ? Text
  : Sql extends `${string} default ${infer Whole extends number}`
    ? Whole
    : Sql extends `${string} default ${string}`
      ? ColumnValue<Sql>
      : null;

/** The row that follows from what is given: a column that may be left out has what is given, or its first value. */
type WholeRow<Declared extends Columns, Given> = {
  -readonly [Column in keyof Declared]: Column extends keyof Given
    ? Exclude<Given[Column], undefined> | (undefined extends Given[Column] ? FirstValue<Declared[Column]> : never)
    : FirstValue<Declared[Column]>;
};

/**
 * Makes a whole row of one of a room's tables: what is given, and the first values of the columns that are left out.
 */
export function newRow<
  const Tables extends readonly Table[],
  const Name extends Tables[number]['name'],
  const Given extends NewRowOf<TableIn<Tables, Name>>,
>(
  tables: Tables,
  name: Name,
  given: Given & { readonly [Key in Exclude<keyof Given, keyof RowIn<Tables, Name>>]: never },
): WholeRow<ColumnsOf<TableIn<Tables, Name>>, Given> {
  const first = tables.find((table) => table.name === name)?.firstValues;
  return Object.assign({ ...first }, given) as never;
}

type Simplified<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** How knex types the queries of a table: `interface Tables { frames: Typed<typeof frames> }`. */
export type Typed<Declared, Narrower = unknown> = Knex.CompositeTableType<
  RowOf<Declared, Narrower>,
  Written<NewRowOf<Declared, Narrower>>,
  Partial<Written<RowOf<Declared, Narrower>>>
>;
