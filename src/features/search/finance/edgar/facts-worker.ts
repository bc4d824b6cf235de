/** Entry of the thread that reads the facts of a company: 10 MB for a large one, a tenth of a second to parse. */
import { parentPort } from 'node:worker_threads';

import { answerJob } from '../../../../kernel/kit/job-worker.ts';
import { JsonError } from '../../../../kernel/kit/json.ts';
import { parseJson } from '../../../../kernel/kit/json-parse.ts';
import { ResponseError } from '../../engine-exchange.ts';
import { toFinancials } from './response.ts';

export interface FactsJob {
  readonly bytes: Uint8Array;
  readonly cik: string;
}

export type FactsReply =
  | { readonly kind: 'answer'; readonly answer: ReturnType<typeof toFinancials> }
  | { readonly kind: 'unusable'; readonly reason: string };

const depthMax = 64;

function read({ bytes, cik }: FactsJob): FactsReply {
  try {
    return { kind: 'answer', answer: toFinancials(parseJson(bytes, { depthMax }).value, cik) };
  } catch (error) {
    if (error instanceof JsonError) return { kind: 'unusable', reason: 'the facts are no JSON' };
    if (error instanceof ResponseError) return { kind: 'unusable', reason: error.message };
    throw error;
  }
}

const port = parentPort;
port?.on('message', (job: FactsJob) => void answerJob(port, () => read(job)));
