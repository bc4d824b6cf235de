import { sql, type Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';

import { storeOf } from './store.ts';

type Steps = Readonly<Record<string, Migration>>;

/** Advisory lock of PostgreSQL: "NESTOR". */
const lockId = 0x4e4553544f52;

/**
 * Migrates a store, all missing steps in one transaction; with `migrates` false it refuses an outdated store. Rejects
 * with a one-line Error, changing nothing, where the store has an unknown step. Several processes may run it at once.
 */
export async function migrate<T>(db: Kysely<T>, migrations: Steps, migrates = true): Promise<void> {
  // Saves some dozen statements of the Migrator per start.
  if (await isUpToDate(db, migrations)) return;
  if (!migrates) throw new Error('database: the schema is older than this version; run: nestor migrate');
  await refuseWithoutRights(db);
  if (storeOf(db) === 'sqlite') return runMissing(db, migrations);
  await db.transaction().execute(async (transaction) => {
    // A transaction lock ends with the transaction, and what others migrated is visible after it.
    await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction);
    if (!(await isUpToDate(transaction, migrations))) await runMissing(transaction, migrations);
  });
}

/** The last step, which names the schema in exports. */
export function schemaVersion(migrations: Steps): string {
  return Object.keys(migrations).at(-1) ?? '';
}

async function runMissing<T>(db: Kysely<T>, migrations: Steps): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    // Otherwise a table of that name in any schema would be taken for ours.
    ...(storeOf(db) === 'postgres' && { migrationTableSchema: await currentSchema(db) }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const reason = error instanceof Error ? error.message : JSON.stringify(error);
  throw new Error(`database: the schema cannot be brought up to date (${reason})`, { cause: error });
}

async function isUpToDate<T>(db: Kysely<T>, migrations: Steps): Promise<boolean> {
  const executed = await readExecuted(db);
  refuseNewer(executed, migrations);
  return executed.length === Object.keys(migrations).length;
}

/** Throws a one-line Error for a store with a step unknown to this version. */
export function refuseNewer(executed: readonly string[], migrations: Steps): void {
  const unknown = executed.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined)
    throw new Error(
      `database: written by a newer version of Nestor (step ${unknown} is unknown to this one)`,
    );
}

async function readExecuted<T>(db: Kysely<T>): Promise<readonly string[]> {
  if (!(await hasMigrationTable(db))) return [];
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ readonly name: string }>`select name from ${table} order by name`.execute(db);
  return rows.map((row) => row.name);
}

async function hasMigrationTable<T>(db: Kysely<T>): Promise<boolean> {
  const name = sql.lit(DEFAULT_MIGRATION_TABLE);
  const exists =
    storeOf(db) === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_schema where type = 'table' and name = ${name}`
      : sql<{ n: number }>`select count(*) as n from pg_tables
          where schemaname = current_schema() and tablename = ${name}`;
  const { rows } = await exists.execute(db);
  return rows[0]?.n === 1;
}

async function currentSchema<T>(db: Kysely<T>): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const name = rows[0]?.name ?? null;
  if (name === null) throw new Error('database: the search_path names no schema that exists');
  return name;
}

interface Rights {
  readonly role: string;
  readonly schema: string | null;
  readonly is_allowed: number | null;
}

/** Kysely reports that a migration failed, not PostgreSQL's reason. */
async function refuseWithoutRights<T>(db: Kysely<T>): Promise<void> {
  if (storeOf(db) !== 'postgres') return;
  const { rows } = await sql<Rights>`select current_user as role,
    current_schema() as schema, has_schema_privilege(current_schema(), 'create') as is_allowed`.execute(db);
  const [found] = rows;
  // Without a schema, the migration reports it.
  if (found === undefined || found.schema === null || Boolean(found.is_allowed)) return;
  const { role, schema } = found;
  throw new Error(
    `database: the role ${role} may not create tables; run nestor migrate once as the owner of the database, or, as that owner: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`,
  );
}
