import { take, type Admission, type Rate } from '../../../kernel/kit/bucket.ts';
import type { Database } from '../../../kernel/store/database.ts';
import type { PostgresAccess } from '../../../kernel/store/postgres/open-postgres.ts';

/** One bucket of a request. */
export interface BucketCost {
  readonly key: string;
  readonly rate: Rate;
  /** Default 1. Above the capacity it is admitted by a full bucket and leaves a debt. */
  readonly cost?: number;
}

export type SharedBuckets = ReturnType<typeof createSharedBuckets>;

/**
 * Buckets that several server processes share, in the unlogged table of PostgreSQL. A row says how many tokens were
 * missing to an empty bucket at `at_ms`; below zero, that many were held. So a capacity that changes clips what is
 * held and needs no column for the old one, and a row at the beginning of time is a full bucket of any capacity.
 */
export function createSharedBuckets({ postgres }: Pick<Database, 'postgres'>) {
  if (postgres === null) throw new TypeError('only PostgreSQL has shared buckets');
  return {
    /**
     * Takes from every bucket or from none, in one statement and by the clock of the database, whichever process
     * asks. One Admission per bucket, in order; all were charged when all say `allowed`, else none was. No key may
     * come twice. Throws Fault `service_unavailable` when the store does not answer.
     */
    async take(costs: readonly BucketCost[]): Promise<readonly Admission[]> {
      if (costs.length === 0) return [];
      for (let attempt = 1; ; attempt++) {
        const states = await takeOnce(postgres, costs);
        if (states.size === costs.length) return costs.map((cost) => toAdmission(cost, states.get(cost.key)));
        if (attempt >= attemptsMax) throw new Error('the buckets keep vanishing');
        // The first use ever, or a sweep came in between. Taking nothing happened.
        const missing = costs.filter(({ key }) => !states.has(key));
        await postgres.query(toInsert(missing.map(({ key }) => key)));
      }
    },

    /** Drops buckets that nobody has used for so long; a missing one is full. Returns how many. */
    async sweep(idleMs: number): Promise<number> {
      const rows = await postgres.query<{ n: number }>({ text: sweepText, values: [idleMs] });
      return rows[0]?.n ?? 0;
    },
  };
}

const attemptsMax = 5;

interface State {
  readonly key: string;
  /** To a full bucket, before this request, at `now_ms`. */
  readonly missing: number;
  readonly now_ms: number;
}

async function takeOnce(
  postgres: PostgresAccess,
  costs: readonly BucketCost[],
): Promise<ReadonlyMap<string, State>> {
  const values = costs.flatMap(({ key, rate, cost = 1 }) => [
    key,
    rate.capacity,
    rate.capacity / rate.windowMs,
    cost,
  ]);
  const text = takeText(costs.length);
  const rows = await postgres.query<State & Record<string, unknown>>({
    name: `take-${costs.length}`,
    text,
    values,
  });
  return new Map(rows.map((row) => [row.key, row]));
}

/** The store has decided by the formula of `take`, in the same doubles; here the numbers for the headers follow. */
function toAdmission({ rate, cost = 1 }: BucketCost, state: State | undefined): Admission {
  if (state === undefined) throw new TypeError('a bucket without its state');
  return take({ missing: state.missing, at: state.now_ms }, state.now_ms, rate, cost);
}

/**
 * `locked` takes the rows in the order of their keys, so that two requests never wait for each other in a circle,
 * and waits for their holders; `instant` reads the clock only when all are held. A clock that was set back
 * stops the refill for no longer than until the next use. `slack` is that of `kit/bucket.ts`.
 */
function takeText(count: number): string {
  const asked = Array.from({ length: count }, (_, index) => {
    const at = index * 4;
    return `($${at + 1}::text, $${at + 2}::float8, $${at + 3}::float8, $${at + 4}::float8)`;
  });
  const keys = Array.from({ length: count }, (_, index) => `$${index * 4 + 1}::text`);
  return `with locked as materialized (
    select key, missing, at_ms from buckets where key in (${keys.join(', ')}) order by key for update
  ), instant as materialized (
    select count(*) as found, date_part('epoch', clock_timestamp()) * 1000 as now_ms from locked
  ), state as materialized (
    select key, capacity, per_ms, cost, now_ms, at_ms,
      greatest(0, capacity + missing - greatest(0, now_ms - at_ms) * per_ms) as missing
    from locked join (values ${asked.join(', ')}) as asked (key, capacity, per_ms, cost) using (key), instant
  ), verdict as materialized (
    select count(*) = ${count} and bool_and((capacity - missing) + 0.001::float8 * per_ms >= least(cost, capacity))
      as allowed from state
  ), written as (
    update buckets set at_ms = state.now_ms,
      missing = state.missing - state.capacity + case when verdict.allowed then state.cost else 0 end
    from state, verdict
    where buckets.key = state.key and (verdict.allowed or state.at_ms > state.now_ms)
  )
  select key, missing, now_ms from state`;
}

function toInsert(keys: readonly string[]): { readonly text: string; readonly values: readonly string[] } {
  const rows = keys.map((_, index) => `($${index + 1}, 0, 0)`);
  const text = `insert into buckets (key, missing, at_ms) values ${rows.join(', ')} on conflict do nothing`;
  // Sorted, like the locks: two that insert the same two would otherwise wait for each other.
  return { text, values: keys.toSorted() };
}

const sweepText = `with idle as (
    select key from buckets where at_ms < date_part('epoch', clock_timestamp()) * 1000 - $1::float8
    for update skip locked
  ), gone as (delete from buckets using idle where buckets.key = idle.key returning 1)
  select count(*) as n from gone`;
