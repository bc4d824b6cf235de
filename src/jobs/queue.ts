import { createHash } from 'node:crypto';
import { Fault } from '../faults.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import { isJsonObject, type Json } from '../kit/json.ts';
import { createSigner } from '../kit/signer.ts';
import type { JobHead, JobRow, Jobs } from '../storage/jobs.ts';

export interface JobRequest {
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
export interface JobQueue {
  /**
   * Resolves when the job is on disk, with the existing one for a known key and an equal request. Throws Fault
   * `conflict` when the key stands for another request.
   */
  create(request: JobRequest): Promise<JobRow>;
  /** Null for what is unknown, foreign or past its time. */
  get(accountId: string, id: string): Promise<JobRow | null>;
  /** Newest first. A null token begins; throws Fault `validation_failed` for one that this account was not given. */
  list(accountId: string, limit: number, token: string | null): Promise<JobPage>;
}

export interface JobQueueOptions {
  readonly jobs: Jobs;
  /** Signs page tokens; the same for all processes of a store. */
  readonly secret: string;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called when there is something to do. */
  readonly wake: () => void;
}

export function createJobQueue(options: JobQueueOptions): JobQueue {
  const { jobs, secret, retentionMs, clock, ids, wake } = options;
  const signer = createSigner(secret);
  const toText = (accountId: string, ordinal: string) => `jobs\n${accountId}\n${ordinal}`;

  function readToken(accountId: string, token: string): number {
    const [ordinal = '', signature = ''] = token.split('.');
    const isOurs = /^\d{1,15}$/.test(ordinal) && token === `${ordinal}.${signature}`;
    if (isOurs && signer.verify(toText(accountId, ordinal), signature)) return Number(ordinal);
    throw new Fault('validation_failed', undefined, {
      details: [
        { loc: ['query', 'next_token'], msg: 'Value error, next_token is invalid', type: 'value_error' },
      ],
    });
  }

  return {
    async create({ accountId, keyId, model, request, idempotencyKey }) {
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

    async get(accountId, id) {
      return (await jobs.find(accountId, id, clock.now() - retentionMs)) ?? null;
    },

    async list(accountId, limit, token) {
      const beforeOrdinal = token === null ? null : readToken(accountId, token);
      const createdAfterMs = clock.now() - retentionMs;
      const found = await jobs.list({ accountId, createdAfterMs, beforeOrdinal, limit: limit + 1 });
      const page = found.slice(0, limit);
      const last = page.at(-1);
      if (found.length <= limit || last === undefined) return { jobs: page, nextToken: '' };
      const ordinal = String(last.ordinal);
      return { jobs: page, nextToken: `${ordinal}.${signer.sign(toText(accountId, ordinal))}` };
    },
  };
}

/** The same for values that are deeply equal: the order of names means nothing. SHA-256 as hex. */
function hashJson(value: Json): string {
  return createHash('sha256').update(toCanonical(value)).digest('hex');
}

function toCanonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(toCanonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${toCanonical(item)}`).join(',')}}`;
}
