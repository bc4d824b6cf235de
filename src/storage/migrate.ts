import { sql, type Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';

/**
 * Brings a store to the present schema, all missing steps in one transaction. Throws an Error of one line
 * when the store has run a step that this version does not know; it is then left as it was.
 */
export async function migrate<T>(
  db: Kysely<T>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const executed = await readExecuted(db);
  const unknown = executed.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined) {
    throw new Error(
      `database: written by a newer version of Nestor (step ${unknown} is unknown to this one)`,
    );
  }
  // Saves some dozen statements of the Migrator at every start of an up-to-date store.
  if (executed.length === Object.keys(migrations).length) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const reason = error instanceof Error ? error.message : JSON.stringify(error);
  throw new Error(`database: the schema cannot be brought up to date (${reason})`, { cause: error });
}

async function readExecuted<T>(db: Kysely<T>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return [];
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ readonly name: string }>`select name from ${table}`.execute(db);
  return rows.map((row) => row.name);
}
