import type { Clock } from '../../../kernel/kit/clock.ts';
import { createBreakers } from '../../../kernel/kit/breakers.ts';
import { resting, type CallFailure } from '../../../kernel/kit/call-failure.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { verdictOf, type Attempt } from '../../../kernel/kit/upstreams-call.ts';
import type { EngineCalls } from '../engine-calls.ts';
import { financeCategories, type Finance, type FinanceAnswer, type FinanceCategory } from '../finance.ts';
import { breakerPolicy } from '../open-search-engines.ts';
import { failureOf, toFault } from '../upstream-fault.ts';
import { createEdgar } from './edgar.ts';
import type { FinanceSource } from './source.ts';
import { createTwelveData } from './twelve-data.ts';

export type FinanceChoice =
  | { readonly type: 'edgar'; readonly url: string | null }
  | { readonly type: 'twelvedata'; readonly url: string | null; readonly key: string };

/** Calls under way at once: EDGAR takes ten a second. */
const lanes = 3;
/** What is not a ticker is not asked for. */
const tickerPattern = /^[A-Z0-9][A-Z0-9.:/-]{0,15}$/;

/** Every source knows it. */
const probeTicker = 'AAPL';

export interface OpenedFinance extends Finance {
  close(): Promise<void>;
}

export interface FinanceParts {
  readonly calls: EngineCalls;
  readonly clock: Clock;
  readonly onFailure: OnFailure;
}

/** Figures out of what is configured; null where nothing is. */
export function openFinance(
  choices: readonly FinanceChoice[],
  { onFailure, ...parts }: FinanceParts,
): OpenedFinance | null {
  const sources: readonly FinanceSource[] = choices.map((choice) =>
    choice.type === 'edgar'
      ? createEdgar({ ...parts, ...choice })
      : createTwelveData({ ...parts, ...choice }),
  );
  if (sources.length === 0) return null;
  const asking = askInTurn(sources, parts.clock, onFailure);
  return {
    categories: financeCategories.filter((category) =>
      sources.some((source) => source.categories.includes(category)),
    ),
    async find(categories, tickers, signal) {
      const asked = tickers
        .map((ticker) => ticker.trim().toUpperCase())
        .filter((ticker) => tickerPattern.test(ticker))
        .flatMap((ticker) => categories.map((category) => ({ ticker, category })));
      const failures: { readonly asked: FinanceQuestion; readonly failure: CallFailure }[] = [];
      const answers: (FinanceAnswer | null)[] = asked.map(() => null);
      const left = asked.entries();
      let answered = 0;
      // Lanes share one iterator, so that each takes the next question as soon as it is free.
      const lane = async () => {
        for (const [place, one] of left) {
          const result = await asking.ask(one, signal);
          if (result === null) continue;
          if (!result.ok) {
            failures.push({ asked: one, failure: result.failure });
            continue;
          }
          answers[place] = result.value;
          answered++;
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      const [first] = failures;
      if (answered === 0 && first !== undefined) throw toFault(first.failure);
      return {
        answers: answers.filter((answer) => answer !== null),
        failed: failures.map((one) => one.asked),
      };
    },
    close() {
      asking.close();
      return Promise.resolve();
    },
  };
}

interface FinanceQuestion {
  readonly ticker: string;
  readonly category: FinanceCategory;
}

interface AskingSources {
  /** Null where no source knows the category. Rejects when the signal aborts, and for defects. */
  ask(question: FinanceQuestion, signal: AbortSignal): Promise<Attempt<FinanceAnswer | null> | null>;
  close(): void;
}

/** Each question goes to the first source of its category. One that is away rests as search engines do. */
function askInTurn(sources: readonly FinanceSource[], clock: Clock, onFailure: OnFailure): AskingSources {
  const breakers = createBreakers<number>({
    policy: breakerPolicy,
    clock,
    async probe(index, signal) {
      const source = sources[index];
      const [category] = source?.categories ?? [];
      if (source === undefined || category === undefined) return 'unknown';
      return verdictOf(await attempt(source, { category, ticker: probeTicker }, signal));
    },
  });
  return {
    async ask(question, signal) {
      const index = sources.findIndex(({ categories }) => categories.includes(question.category));
      const source = sources[index];
      if (source === undefined) return null;
      const end = breakers.begin(index);
      if (end === null) return { ok: false, failure: resting(breakers.waitMs([index])) };
      try {
        const result = await attempt(source, question, signal);
        end(verdictOf(result));
        if (!result.ok) onFailure('source of figures', result.failure.cause);
        return result;
      } finally {
        end('unknown');
      }
    },
    close: () => breakers.close(),
  };
}

async function attempt(
  source: FinanceSource,
  { category, ticker }: FinanceQuestion,
  signal: AbortSignal,
): Promise<Attempt<FinanceAnswer | null>> {
  try {
    return { ok: true, value: await source.find(category, ticker, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = failureOf(error);
    if (failure === null) throw error;
    return { ok: false, failure };
  }
}
