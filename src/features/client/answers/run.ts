import { setTimeout as pause } from 'node:timers/promises';
import { inLanes } from '../../../kernel/kit/lanes.ts';
import { numberAt, listAt } from '../../../kernel/kit/json-path.ts';
import { ApiError, describeApiError, type PublishedApi } from '../api.ts';
import { toAnswer } from '../ask.ts';
import { grade, type GradedAnswer, type GivenAnswer } from './grade.ts';
import type { AskedQuestion } from './questions.ts';

interface RunOptions {
  readonly model: string;
  /** How an answer says that it has none. */
  readonly refusal: RegExp;
  /** Questions under way at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, failed: number) => void;
}

export interface AnswerRun {
  /** In the order of the questions, without those that failed. */
  readonly answers: readonly GradedAnswer[];
  readonly failed: number;
  readonly firstFailure: string | null;
  /** Whether every question was asked. */
  readonly complete: boolean;
}

/** Unit: ms. */
const answerMs = 900_000;
const waitMaxMs = 60_000;
/** Failures in a row after which the others are not tried. */
const hopeless = 10;

/** Asks every question as one chat completion each. Throws ApiError when the server fails again and again. */
export async function askQuestions(
  api: PublishedApi,
  questions: readonly AskedQuestion[],
  options: RunOptions,
): Promise<AnswerRun> {
  const graded: (GradedAnswer | undefined)[] = questions.map(() => undefined);
  let [done, failed, inARow] = [0, 0, 0];
  let firstFailure: string | null = null;
  const lanes = { count: options.concurrency, signal: options.signal };
  await inLanes(questions.entries(), lanes, async ([at, question], signal) => {
    try {
      const answer = await askOne(api, question.question, options.model, signal);
      graded[at] = grade(question, answer, options.refusal);
      inARow = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      failed++;
      firstFailure ??= describeApiError(error);
      if (isFatal(error) || ++inARow === hopeless) throw error;
    }
    options.onProgress(++done, failed);
  });
  const answers = graded.filter((one) => one !== undefined);
  return { answers, failed, firstFailure, complete: done === questions.length };
}

/** What no other question would fare better with. */
const isFatal = ({ status, isUnreachable }: ApiError): boolean =>
  isUnreachable || (status !== null && [401, 403, 404, 405].includes(status));

/** One answer. A rate limit is waited out. */
async function askOne(
  api: PublishedApi,
  question: string,
  model: string,
  signal: AbortSignal,
): Promise<GivenAnswer> {
  const json = { model, messages: [{ role: 'user', content: question }] };
  for (let limited = 0; ; limited++) {
    try {
      const reply = await api.call({
        method: 'POST',
        path: '/chat/completions',
        json,
        timeoutMs: answerMs,
        signal,
      });
      const { text, sources } = toAnswer(reply);
      const sentences = numberAt(reply, 'verification', 'sentences');
      const unsupported = listAt(reply, 'verification', 'unsupported').length;
      return {
        text,
        urls: sources.map(({ url }) => url),
        verified: sentences === null ? null : { sentences, unsupported },
      };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      // Those that were told the same wait come back together: each time they are refused they wait longer.
      const waitMs = (error.retryAfterMs ?? 500) * 1.5 ** Math.min(limited, 12);
      await pause(Math.min(waitMaxMs, waitMs), undefined, { signal });
    }
  }
}
