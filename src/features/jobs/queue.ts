import { createHash } from 'node:crypto';
import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { withDigits } from '../../kernel/kit/json-digits.ts';
import { isExactNumber } from '../../kernel/kit/json-exact.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import { createPageTokens } from '../../kernel/kit/page-tokens.ts';
import type { JobHead, JobRow, Jobs } from './store/jobs.ts';

interface JobRequest {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly request: Json;
  readonly idempotencyKey: string | null;
}

export interface JobPage {
  readonly jobs: readonly JobHead[];
  /** Empty on the last page. */
  readonly nextToken: string;
}

/** Jobs as their account sees them. */
export type JobQueue = ReturnType<typeof createJobQueue>;

interface JobQueueOptions {
  readonly jobs: Jobs;
  /** Signs page tokens; the same for all processes of a store. */
  readonly secret: string;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called when there is something to do. */
  readonly wake: () => void;
}

export function createJobQueue(options: JobQueueOptions) {
  const { jobs, secret, retentionMs, clock, ids, wake } = options;
  const tokens = createPageTokens(secret, 'jobs');

  function readToken(accountId: string, token: string | null): number | null {
    const ordinal = token === null ? null : tokens.read(accountId, token);
    if (token === null || ordinal !== null) return ordinal;
    const detail = {
      loc: ['query', 'next_token'],
      msg: 'Value error, next_token is invalid',
      type: 'value_error',
    };
    throw new Fault('validation_failed', `next_token: ${detail.msg}`, {
      param: 'next_token',
      details: [detail],
    });
  }

  return {
    /**
     * Resolves when the job is on disk, with the existing one for a known key and an equal request. Throws Fault
     * `conflict` when the key stands for another request.
     */
    async create({ accountId, keyId, model, request, idempotencyKey }: JobRequest): Promise<JobRow> {
      const now = clock.now();
      const requestHash = hashJson(request);
      const { isNew, job } = await jobs.create(
        {
          id: ids.uuid(),
          accountId,
          keyId,
          model,
          request: JSON.stringify(request),
          requestHash,
          idempotencyKey,
          createdAtMs: now,
        },
        now - retentionMs,
      );
      if (isNew) wake();
      else if (job.requestHash !== requestHash)
        throw new Fault('conflict', 'idempotency_key was used with another request', {
          param: 'idempotency_key',
        });
      return job;
    },

    /** Null for what is unknown, foreign or past its time. */
    async get(accountId: string, id: string): Promise<JobRow | null> {
      return (await jobs.find(accountId, id, clock.now() - retentionMs)) ?? null;
    },

    /** Newest first. A null token begins; throws Fault `validation_failed` for one that this account was not given. */
    async list(accountId: string, limit: number, token: string | null): Promise<JobPage> {
      const bounds = { beforeOrdinal: readToken(accountId, token), limit: limit + 1 };
      const found = await jobs.list({ accountId, createdAfterMs: clock.now() - retentionMs, ...bounds });
      const { items, nextToken } = tokens.toPage(accountId, found, limit, ({ ordinal }) => ordinal);
      return { jobs: items, nextToken: nextToken ?? '' };
    },
  };
}

/** The same for values that are deeply equal: the order of names means nothing. SHA-256 as hex. */
function hashJson(value: Json): string {
  return createHash('sha256').update(toCanonical(value)).digest('hex');
}

function toCanonical(given: Json): string {
  const value = withDigits(given);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(toCanonical).join(',')}]`;
  if (!isJsonObject(value) || isExactNumber(value)) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${toCanonical(item)}`).join(',')}}`;
}
