import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { createChat } from '../../src/features/chat/chat.ts';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import type { Principal } from '../../src/kernel/http/operation.ts';
import { createTransport } from '../../src/kernel/http/transport.ts';
import { fullBucket } from '../../src/kernel/kit/bucket.ts';
import { systemClock, type Clock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { WorkerOptions } from '../../src/features/jobs/worker.ts';
import { openStructuredChecks } from '../../src/features/models/open-structured-checks.ts';
import type { Models } from '../../src/features/models/registry.ts';
import { asyncOperations } from '../../src/features/chat/wire/async/operation.ts';
import { createChatBackends, createChatJobs } from '../../src/features/chat/wire/chat-job.ts';
import { openJobs } from '../../src/features/jobs/open-jobs.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { quotaOf } from './quota.ts';
import { settings } from './settings.ts';
import { twoPages } from './chat.ts';
import { scriptedPages } from './tools.ts';
import { pollEnd } from './until.ts';

export interface JobsOptions {
  /** Of the store. */
  readonly url: string;
  readonly dataFolder: string;
  readonly models: Models;
  readonly workers?: number;
  readonly clock?: Clock;
  readonly giveUpAfterS?: number;
  readonly waits?: WorkerOptions['waits'];
  /** Told of each job that is begun here. */
  readonly onStart?: (id: string) => Promise<void> | void;
}

export interface JobsServer {
  readonly url: string;
  readonly database: Database;
  readonly send: (method: string, path: string, body?: unknown, key?: string) => Promise<Response>;
  close(): Promise<void>;
}

/** Keys are names of accounts here. */
const keys: Readonly<Record<string, Principal>> = Object.fromEntries(
  ['acme', 'other'].map((name) => [name, { accountId: name, keyId: `key-${name}`, tier: 5, denied: [] }]),
);

/** Jobs over a real store and a real port, with any models; limits are off. */
export async function openJobsServer(options: JobsOptions): Promise<JobsServer> {
  const {
    url,
    dataFolder,
    models,
    workers = 4,
    clock = systemClock,
    giveUpAfterS = 3_600,
    waits,
    onStart,
  } = options;
  const database = await openDatabase(url, { dataFolder });
  const pages = scriptedPages({});
  const chat = createChat({
    models,
    search: twoPages(),
    pages,
    clock,
    thinkPreamble: true,
    verification: null,
    onFailure: () => {},
  });
  const structured = openStructuredChecks();
  const services = { chat, models, structured, pages, clock, ids: randomIds };
  const run = createChatJobs(settings, services);
  const jobs = await openJobs(
    { async: { workers, retentionDays: 7, giveUpAfterS } },
    {
      database,
      clock,
      ids: randomIds,
      ageGuard: (forget) => forget,
      backends: createChatBackends(settings, services),
      ...(waits && { waits }),
      log: { error: (error: unknown) => process.stderr.write(`${inspect(error)}\n`) },
      async run(job, signal) {
        await onStart?.(job.id);
        return run(job, signal);
      },
    },
  );
  const stopping = new AbortController();
  const app = createTransport(
    asyncOperations(settings),
    {
      services: { jobs: jobs.queue, models, storageQuota: quotaOf(database), structured },
      authenticate: (key) => keys[key] ?? null,
      admit: () => ({
        allowed: true,
        capacity: 5,
        remaining: 4,
        fullInMs: 30,
        retryInMs: 0,
        fill: fullBucket,
      }),
      bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
      reserveBilling: () => ({ keep: () => undefined, release: () => {} }),
      record: () => {},
      clock,
      ids: randomIds,
      stopping: stopping.signal,
    },
    { corsOrigins: [] },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url: base,
    database,
    send: (method, path, body, key = 'acme') =>
      fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async close() {
      stopping.abort();
      app.server.closeAllConnections();
      await app.close();
      await jobs.close();
      await structured.close();
      await database.close();
    },
  };
}

export interface Job {
  readonly id: string;
  readonly model: string;
  readonly status: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly failed_at: number | null;
  readonly response: {
    readonly choices: readonly { readonly message: { readonly content: string } }[];
  } | null;
  readonly error_message: string | null;
}

export const isEnded = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'COMPLETED' || status === 'FAILED';

/** The job once it has ended. */
export function waitForJob({ send }: Pick<JobsServer, 'send'>, id: string): Promise<Job> {
  const look = async () => (await (await send('GET', `/async/chat/completions/${id}`)).json()) as Job;
  return pollEnd(look, isEnded, `the job ${id} does not end`);
}
