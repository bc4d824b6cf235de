import { Fault } from '../../kernel/faults.ts';
import { moduleBeside } from '../../kernel/kit/beside.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import { JobPool } from '../../kernel/kit/job-pool.ts';
import { JobError } from '../../kernel/kit/job-thread.ts';
import type { JsonObject } from '../../kernel/kit/json.ts';
import type { StructuredJob, StructuredReply, Wanted } from './structured-job.ts';
import type { OutputCheck } from './structured.ts';

/** Timeout for one schema or answer, in ms. Schemas have shorter timeouts of their own; expressions have none. */
const timeoutMs = 2_000;
/** Timeout with the wait for a thread, in ms. */
const waitMs = 30_000;
/** A hostile schema keeps a thread until its timeout, so one account never has both. */
const threads = 2;
/** Jobs that wait at most; one account may have half of them. */
const waitingMax = 128;
const idleMs = 60_000;
const heapMb = 192;

export type OpenedStructuredChecks = ReturnType<typeof openStructuredChecks>;
export type StructuredChecks = Omit<OpenedStructuredChecks, 'close'>;

/**
 * Compiles and checks formats of callers in threads, because it may take seconds. Idle threads end. Both checks throw
 * Fault `invalid_value` that says what is wrong; `param` names it in the request.
 */
export function openStructuredChecks() {
  const workerUrl = moduleBeside('structured-worker', import.meta.url);
  const options = { workerUrl, name: 'structured', timeoutMs, threads, waitingMax, idleMs, heapMb };
  const pool = new JobPool<StructuredJob, StructuredReply>(options);
  const run = (job: StructuredJob, account: string, ...signals: readonly AbortSignal[]) =>
    pool.run(job, AbortSignal.any([AbortSignal.timeout(waitMs), ...signals]), account);
  const parse = async (wanted: Wanted, { account, signal }: Caller): Promise<OutputCheck> => {
    const { param } = wanted;
    const refuse = (message: string) => new Fault('invalid_value', message, { param });
    const reply = await run({ wanted, text: null }, account, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw isTooMuch(error) ? refuse(`${param} takes too long to compile`) : toFault(error);
    });
    if (reply.kind !== 'ready') throw refuse(reply.kind === 'invalid' ? reply.message : 'not compiled');
    return {
      instruction: reply.instruction,
      // A run in the background outlives the request that brought the schema.
      async check(text) {
        try {
          const answer = await run({ wanted, text }, account);
          if (answer.kind === 'checked') return answer.verdict;
        } catch (error) {
          if (!isTooMuch(error)) throw toFault(error);
        }
        return { ok: false, problem: 'the answer takes too long to check' };
      },
    };
  };
  return {
    parseSchema: (schema: JsonObject, param: string, caller: Caller) =>
      parse({ kind: 'schema', schema, param }, caller),
    parseRegex: (regex: string, param: string, caller: Caller) =>
      parse({ kind: 'regex', regex, param }, caller),
    close: () => pool.close(),
  };
}

function isTooMuch(error: unknown): boolean {
  return error instanceof JobError && (error.reason === 'timeout' || error.reason === 'memory');
}

function toFault(error: unknown): unknown {
  if (error instanceof JobError && error.reason === 'failed') return error;
  return new Fault('service_unavailable', 'Too many formats are being checked, please try again later.', {
    cause: error,
  });
}
