import type { CreateTableBuilder, ColumnDataType, Kysely } from 'kysely';

import { storeOf } from './store.ts';

/** Adds columns to a table that is being created: `createTable('jobs').$call(required('text', 'id'))`. */
type AddColumns<Name extends string> = <Table extends string, Known extends string>(
  table: CreateTableBuilder<Table, Known>,
) => CreateTableBuilder<Table, Known | Name>;

/** Columns of one type that are not null, in order. */
export function required<Name extends string>(
  type: ColumnDataType,
  ...names: readonly Name[]
): AddColumns<Name> {
  return (table) =>
    names.reduce((all, name) => all.addColumn(name, type, (column) => column.notNull()), table);
}

/** Columns of one type that may be null, in order. */
export function optional<Name extends string>(
  type: ColumnDataType,
  ...names: readonly Name[]
): AddColumns<Name> {
  return (table) => names.reduce((all, name) => all.addColumn(name, type), table);
}

/** A primary key given by the caller. */
export function textKey<Name extends string>(name: Name): AddColumns<Name> {
  return (table) => table.addColumn(name, 'text', (column) => column.primaryKey().notNull());
}

/** A primary key that counts up in the order of creation, and unlike the wall clock never goes back. */
export function ordinalKey<Name extends string>(db: Kysely<unknown>, name: Name): AddColumns<Name> {
  if (storeOf(db) === 'postgres')
    return (table) => table.addColumn(name, 'bigserial', (column) => column.primaryKey().notNull());
  return (table) =>
    table.addColumn(name, 'integer', (column) => column.primaryKey().autoIncrement().notNull());
}

/** A count or a flag that begins at 0. */
export function zero<Name extends string>(name: Name): AddColumns<Name> {
  return (table) => table.addColumn(name, 'integer', (column) => column.notNull().defaultTo(0));
}

/** A reference to a parent whose deletion deletes the row. */
export function partOf<Name extends string>(name: Name, parent: string): AddColumns<Name> {
  return (table) =>
    table.addColumn(name, 'text', (column) => column.notNull().references(parent).onDelete('cascade'));
}

export async function createIndex(
  db: Kysely<unknown>,
  name: string,
  table: string,
  columns: string[],
): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
