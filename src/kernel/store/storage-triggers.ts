import { sql, type Kysely, type RawBuilder } from 'kysely';

import { storeOf } from './store.ts';
import { storedTables, type StoredTable } from './stored-tables.ts';

/**
 * Creates the triggers that maintain `account_storage` in the transaction of every change, so counts are exact after
 * any crash. Parts are deleted before their parent, which names their owner.
 */
export async function createStorageTriggers(
  db: Kysely<unknown>,
  tables: readonly StoredTable[],
): Promise<void> {
  const make = storeOf(db) === 'postgres' ? postgresTriggers : sqliteTriggers;
  for (const statement of tables.flatMap(make)) await statement.execute(db);
}

type Statements = readonly RawBuilder<unknown>[];

function partsOf(table: string): readonly StoredTable[] {
  return storedTables.filter(({ parent }) => parent?.table === table);
}

function removeParts(table: string): RawBuilder<unknown> {
  const deletes = partsOf(table).map(
    (part) => sql`delete from ${sql.table(part.table)} where ${sql.ref(part.parent?.column ?? '')} = old.id;`,
  );
  return sql.join(deletes, sql` `);
}

function ownerOf({ parent }: StoredTable, row: 'new' | 'old'): RawBuilder<unknown> {
  if (parent === null) return sql`select ${sql.ref(`${row}.account_id`)} as account_id`;
  return sql`select account_id from ${sql.table(parent.table)} where id = ${sql.ref(`${row}.${parent.column}`)}`;
}

function sqliteTriggers(stored: StoredTable): Statements {
  const { table, bytesOf, changes } = stored;
  // No upsert: in a trigger the outer statement's conflict clause applies.
  const count = (row: 'new' | 'old', bytes: RawBuilder<unknown>) => sql`
    insert into account_storage (account_id, bytes) select owner.account_id, 0
      from (${ownerOf(stored, row)}) as owner
      where not exists (select 1 from account_storage as known where known.account_id = owner.account_id);
    update account_storage set bytes = bytes + ${bytes} where account_id = (${ownerOf(stored, row)});`;
  const trigger = (name: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
    sql`create trigger ${sql.ref(`${table}_${name}`)} ${when} on ${sql.table(table)} begin ${body} end`;
  return [
    trigger('stored', sql`after insert`, count('new', bytesOf('new'))),
    trigger('dropped', sql`after delete`, count('old', sql`- ${bytesOf('old')}`)),
    ...(changes.length === 0
      ? []
      : [
          trigger(
            'changed',
            sql`after update of ${sql.join(changes.map((column) => sql.ref(column)))}`,
            count('new', sql`${bytesOf('new')} - ${bytesOf('old')}`),
          ),
        ]),
    ...beforeParent(stored, (parent) => [
      sql`create trigger ${sql.ref(`${parent}_parts`)} before delete on ${sql.table(parent)} begin ${removeParts(parent)} end`,
    ]),
  ];
}

/** Runs once per parent, with its first part. */
function beforeParent(stored: StoredTable, make: (parent: string) => Statements): Statements {
  const parent = stored.parent?.table;
  if (parent === undefined || partsOf(parent)[0] !== stored) return [];
  return make(parent);
}

/** Counts accounts in the order of their ids, so that two statements over many accounts never deadlock. */
function postgresTriggers(stored: StoredTable): Statements {
  const { table, parent, bytesOf, changes } = stored;
  const join =
    parent === null
      ? sql``
      : sql`join ${sql.table(parent.table)} on ${sql.ref(`${parent.table}.id`)} = ${sql.ref(`changed.${parent.column}`)}`;
  const owner = sql.ref(parent === null ? 'changed.account_id' : `${parent.table}.account_id`);
  const add = (rows: RawBuilder<unknown>) => sql`
    insert into account_storage (account_id, bytes) ${rows}
      on conflict (account_id) do update set bytes = account_storage.bytes + excluded.bytes;`;
  const trigger = (name: string, head: RawBuilder<unknown>, scope: string, body: RawBuilder<unknown>) => [
    sql`create function ${sql.ref(`${table}_${name}`)}() returns trigger language plpgsql as $$
      begin ${body} return null; end $$`,
    sql`create trigger ${sql.ref(`${table}_${name}`)} ${head} for each ${sql.raw(scope)}
      execute function ${sql.ref(`${table}_${name}`)}()`,
  ];
  const all = (sign: '' | '-') =>
    add(
      sql`select ${owner}, ${sql.raw(sign)} sum(${bytesOf('changed')}) from changed ${join} group by 1 order by 1`,
    );
  const of = (when: string, referencing: string) =>
    sql`${sql.raw(when)} on ${sql.table(table)} referencing ${sql.raw(referencing)} as changed`;
  return [
    ...trigger('stored', of('after insert', 'new table'), 'statement', all('')),
    ...trigger('dropped', of('after delete', 'old table'), 'statement', all('-')),
    ...(changes.length === 0
      ? []
      : trigger(
          'changed',
          sql`after update of ${sql.join(changes.map((column) => sql.ref(column)))} on ${sql.table(table)}`,
          'row',
          add(sql`select new.account_id, ${bytesOf('new')} - ${bytesOf('old')}`),
        )),
    ...beforeParent(stored, (name) => [
      sql`create function ${sql.ref(`${name}_parts`)}() returns trigger language plpgsql as $$
        begin ${removeParts(name)} return old; end $$`,
      sql`create trigger ${sql.ref(`${name}_parts`)} before delete on ${sql.table(name)} for each row
        execute function ${sql.ref(`${name}_parts`)}()`,
    ]),
  ];
}
