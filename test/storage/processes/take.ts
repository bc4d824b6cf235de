/** A process that takes from shared buckets as fast as it can, one plan after the other, and tells what it got. */
import { setTimeout as pause } from 'node:timers/promises';

import { openRedisBuckets } from '../../../src/features/accounts/redis-buckets.ts';
import { createSharedBuckets, type BucketCost } from '../../../src/features/accounts/store/buckets.ts';
import { openDatabase } from '../../../src/kernel/store/database.ts';

/** What each process does: from an instant of the wall clock on, for a while, and until it was refused. */
export interface TakePlan {
  readonly costs: readonly BucketCost[];
  readonly startAtMs: number;
  readonly forMs: number;
}

export interface Taken {
  readonly admitted: number;
  readonly refused: number;
  /** By the clock of the database. */
  readonly lastAt: number;
}

const [url = '', plansJson = '[]'] = process.argv.slice(2);
const buckets = url.startsWith('redis:') ? await openRedisBuckets({ url }) : await openPostgresBuckets();

async function openPostgresBuckets() {
  const database = await openDatabase(url, { dataFolder: '/nowhere' });
  const shared = createSharedBuckets(database);
  return { take: (costs: readonly BucketCost[]) => shared.take(costs), close: () => database.close() };
}

async function follow({ costs, startAtMs, forMs }: TakePlan): Promise<Taken> {
  await pause(Math.max(0, startAtMs - Date.now()));
  const endAt = performance.now() + forMs;
  let admitted = 0;
  let refused = 0;
  let lastAt = 0;
  const takeOn = async (): Promise<void> => {
    while (performance.now() < endAt || refused === 0) {
      const admissions = await buckets.take(costs);
      lastAt = Math.max(lastAt, admissions[0]?.fill.at ?? 0);
      if (admissions.every((admission) => admission.allowed)) admitted++;
      else refused++;
    }
  };
  await Promise.all([takeOn(), takeOn(), takeOn(), takeOn()]);
  return { admitted, refused, lastAt };
}

const results: Taken[] = [];
for (const plan of JSON.parse(plansJson) as TakePlan[]) results.push(await follow(plan));
process.stdout.write(JSON.stringify(results));
await buckets.close();
