import { Fault } from '../faults.ts';
import { moduleBeside } from '../kit/beside.ts';
import { JobError, JobThread } from '../kit/job-thread.ts';
import type { JsonObject } from '../kit/json.ts';
import type { StructuredJob, StructuredReply, Wanted } from './structured-job.ts';
import type { OutputCheck } from './structured.ts';

/** For one schema or answer. A schema is given up by itself after half of it; an expression is not. */
const timeoutMs = 2_000;
/** For all that wait before it as well. */
const waitMs = 30_000;
const jobsMax = 64;
/** Nobody closes it, and a process does not end before it is gone. */
const idleMs = 2_000;
const heapMb = 192;

/** Makes checks of answers. Both throw Fault `invalid_value` that says what is wrong; `param` names it in the request. */
export interface StructuredThread {
  readonly parseSchema: (schema: JsonObject, param: string) => Promise<OutputCheck>;
  readonly parseRegex: (regex: string, param: string) => Promise<OutputCheck>;
}

/**
 * Schemas and expressions of callers are compiled, and answers held against them, in a thread of its own: either may
 * take seconds. It begins with the first one and ends when none comes.
 */
export function createStructuredThread(): StructuredThread {
  const workerUrl = moduleBeside('structured-worker', import.meta.url);
  const options = { workerUrl, name: 'structured', timeoutMs, jobsMax, idleMs, heapMb };
  const thread = new JobThread<StructuredJob, StructuredReply>(options);
  const run = (wanted: Wanted, text: string | null) =>
    thread.run({ wanted, text }, AbortSignal.timeout(waitMs));
  const parse = async (wanted: Wanted): Promise<OutputCheck> => {
    const { param } = wanted;
    const refuse = (message: string) => new Fault('invalid_value', message, { param });
    const reply = await run(wanted, null).catch((error: unknown) => {
      throw isTooMuch(error) ? refuse(`${param} takes too long to compile`) : toFault(error);
    });
    if (reply.kind !== 'ready') throw refuse(reply.kind === 'invalid' ? reply.message : 'not compiled');
    return {
      instruction: reply.instruction,
      async check(text) {
        try {
          const answer = await run(wanted, text);
          if (answer.kind === 'checked') return answer.verdict;
        } catch (error) {
          if (!isTooMuch(error)) throw toFault(error);
        }
        return { ok: false, problem: 'the answer takes too long to check' };
      },
    };
  };
  return {
    parseSchema: (schema, param) => parse({ kind: 'schema', schema, param }),
    parseRegex: (regex, param) => parse({ kind: 'regex', regex, param }),
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
