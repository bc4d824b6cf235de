import { namesOf } from '../../../kernel/engine-names.ts';
import type { Log } from '../../../kernel/kit/log.ts';
import type { PostgresAccess } from '../../../kernel/store/postgres/open-postgres.ts';
import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import { comparedMax, nearestIndexName, toVectorsOf, vectorsTable, type VectorsOf } from './nearest.ts';

type Client = Awaited<ReturnType<PostgresAccess['connect']>>;

/** `missing`: the server has no pgvector. `elsewhere`: another process is at it. */
export type NearestState = 'ready' | 'missing' | 'elsewhere';

/** Advisory lock of PostgreSQL: "NEAREST". */
const lockId = 0x4e454152455354;
/** Building an index over a million passages takes minutes. Unit: ms. */
const statementMs = 86_400_000;
/** Passages that are copied per statement. */
const copiedAtOnce = 2_000;
/** Vectors, and some 200 bytes of links each, that HNSW is built with in memory. */
const linkBytes = 200;
const buildMbMax = 1_024;

/**
 * Keeps the vectors of one engine where pgvector finds the nearest of them: in a table beside the passages, which a trigger
 * of the store follows, whichever process writes them. Passages keep their own vectors, which rank on every store, so all of
 * this may be dropped at any time. Several processes may call it at once. Rejects where the role may not create what is
 * missing.
 */
export async function tendNearest(
  postgres: PostgresAccess,
  of: VectorsOf,
  { log, signal }: { readonly log: Pick<Log, 'info'>; readonly signal: AbortSignal },
): Promise<NearestState> {
  const client = await postgres.connect();
  // A server that stops waits for no statement of minutes; PostgreSQL ends it, or the next look finds it done.
  const leave = () => void client.end();
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    const run = (text: string, values: unknown[] = []) =>
      client.query<Record<string, unknown>>({ text, values, query_timeout: statementMs } as never);
    await run(`set statement_timeout = 0`);
    const { rows } = await run(`select pg_try_advisory_lock(${lockId})::int as taken`);
    if (rows[0]?.['taken'] !== 1) return 'elsewhere';
    if (!(await hasExtension(run))) return 'missing';
    await makeTable(run, client, of);
    if ((await fill(run, client, of, signal)) > 0)
      log.info({}, 'vectors of the index were copied for pgvector');
    if (await build(run, of, signal)) log.info({}, 'an index over the vectors was built with pgvector');
    return 'ready';
  } finally {
    signal.removeEventListener('abort', leave);
    // Ends the lock as well.
    await client.end();
  }
}

type Run = (
  text: string,
  values?: unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

async function hasExtension(run: Run): Promise<boolean> {
  const { rows } = await run(
    `select installed_version as installed from pg_available_extensions where name = 'vector'`,
  );
  const [found] = rows;
  if (found === undefined) return false;
  if (found['installed'] === null) await run('create extension if not exists vector');
  return true;
}

const commentOf = ({ embeddedBy, dimensions }: VectorsOf, state: 'filled' | 'filling'): string =>
  `nestor 1 ${dimensions} ${state} ${embeddedBy}`;

async function stateOf(run: Run) {
  const { rows } = await run(`select obj_description(to_regclass('${vectorsTable}'), 'pg_class') as comment`);
  const comment = rows[0]?.['comment'];
  return toVectorsOf(typeof comment === 'string' ? comment : null);
}

/** Of an engine that was replaced nothing is kept: its vectors are compared with no others. */
async function makeTable(run: Run, client: Client, of: VectorsOf): Promise<void> {
  const made = await stateOf(run);
  if (made?.embeddedBy === of.embeddedBy && made.dimensions === of.dimensions) return;
  await run('begin');
  try {
    for (const statement of statementsFor(client, of)) await run(statement);
    await run('commit');
  } catch (error) {
    await run('rollback');
    throw error;
  }
}

function statementsFor(client: Client, of: VectorsOf): readonly string[] {
  const { dimensions } = of;
  const engines = namesOf(of.embeddedBy).map((name) => client.escapeLiteral(name));
  const follow = `begin
      if tg_op = 'UPDATE' then
        delete from ${vectorsTable} v using changed c where v.passage_id = c.id;
      end if;
      insert into ${vectorsTable} ${vectorsFrom('changed', dimensions)}
        and d.embedded_by in (${engines.join(', ')});
      return null;
    end`;
  const toVector = `select array_agg(((get_byte(bytes, n) + 128) % 256 - 128)::real order by n)::vector
      from generate_series(0, length(bytes) - 1) n`;
  return [
    `drop table if exists ${vectorsTable}`,
    // The account is what a distributed PostgreSQL would spread it by. A passage has a vector for each of its windows.
    `create table ${vectorsTable} (
      passage_id bigint not null references corpus_passages (id) on delete cascade,
      place integer not null,
      account_id text not null,
      embedding vector(${dimensions}) not null,
      primary key (passage_id, place, account_id))`,
    `create index ${vectorsTable}_account on ${vectorsTable} (account_id, passage_id) where account_id <> ''`,
    `create or replace function ${vectorsTable}_from(bytes bytea) returns vector
      language sql immutable as ${client.escapeLiteral(toVector)}`,
    `create or replace function ${vectorsTable}_follow() returns trigger
      language plpgsql as ${client.escapeLiteral(follow)}`,
    ...['insert', 'update'].flatMap((event) => [
      `drop trigger if exists ${vectorsTable}_${event} on corpus_passages`,
      `create trigger ${vectorsTable}_${event} after ${event} on corpus_passages referencing new table as changed
        for each statement execute function ${vectorsTable}_follow()`,
    ]),
    `comment on table ${vectorsTable} is ${client.escapeLiteral(commentOf(of, 'filling'))}`,
  ];
}

/** Rows of the table from passages; further conditions may follow. A vector of zeros has no direction. */
function vectorsFrom(passages: string, dimensions: number): string {
  const window = `substring(p.vector from w * ${dimensions} + 1 for ${dimensions})`;
  return `select p.id, w, d.account_id, ${vectorsTable}_from(${window})
    from ${passages} p join corpus_documents d on d.id = p.id / ${passagesPerDocument}
    cross join lateral generate_series(0, length(p.vector) / ${dimensions} - 1) w
    where ${window} <> decode(repeat('00', ${dimensions}), 'hex')`;
}

/** Copies what was there before the trigger. Resolves to the number of statements. */
async function fill(run: Run, client: Client, of: VectorsOf, signal: AbortSignal): Promise<number> {
  if ((await stateOf(run))?.isFilled !== false) return 0;
  let statements = 0;
  for (let after = -1; ; statements++) {
    signal.throwIfAborted();
    const { rows } = await run(
      `with batch as materialized (select p.id, p.vector from corpus_passages p
          join corpus_documents d on d.id = p.id / ${passagesPerDocument}
          where p.id > $1 and d.embedded_by = any($2) and p.vector is not null order by p.id limit ${copiedAtOnce}),
        copied as (insert into ${vectorsTable} ${vectorsFrom('batch', of.dimensions)} on conflict do nothing)
        select max(id) as last from batch`,
      [after, [...namesOf(of.embeddedBy)]],
    );
    const last = rows[0]?.['last'] ?? null;
    if (last === null) break;
    after = Number(last);
  }
  await run(`comment on table ${vectorsTable} is ${client.escapeLiteral(commentOf(of, 'filled'))}`);
  return statements;
}

/**
 * Builds HNSW over what everybody finds, once there is too much to be compared one by one; beside reads and writes. What
 * belongs to accounts is not in it: it is little, and so is compared one by one.
 */
async function build(run: Run, { dimensions }: VectorsOf, signal: AbortSignal): Promise<boolean> {
  const { rows: built } = await run(
    `select indisvalid::int as valid from pg_index where indexrelid = to_regclass('${nearestIndexName}')`,
  );
  if (built[0]?.['valid'] === 1) return false;
  const { rows } = await run(
    `select count(*)::int as n, (select 1 from ${vectorsTable} where account_id = '' limit 1 offset ${comparedMax}) as many
      from ${vectorsTable} where account_id = ''`,
  );
  if ((rows[0]?.['many'] ?? null) === null) return false;
  signal.throwIfAborted();
  // One that was broken off is no index.
  if (built.length > 0) await run(`drop index concurrently ${nearestIndexName}`);
  const megabytes = Math.ceil((Number(rows[0]?.['n']) * (4 * dimensions + linkBytes) * 1.2) / 1_048_576);
  await run(`set maintenance_work_mem = '${Math.min(buildMbMax, Math.max(64, megabytes))}MB'`);
  await run(
    `create index concurrently ${nearestIndexName} on ${vectorsTable} using hnsw (embedding vector_cosine_ops)
      where account_id = ''`,
  );
  return true;
}
