import { ownAccount, type Caller } from '../../kernel/kit/caller.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { Breakers } from '../../kernel/kit/breakers.ts';
import { resting, type CallFailure } from '../../kernel/kit/call-failure.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { verdictOf, type Attempt } from '../../kernel/kit/upstreams-call.ts';
import {
  openSource,
  type FinanceDeclaration,
  type SourceContext,
  type SourceEntry,
} from './define-source.ts';
import {
  financeCategories,
  type Finance,
  type FinanceAnswer,
  type FinanceAnswers,
  type FinanceSource,
} from './finance.ts';
import { breakerPolicy } from './engine-pool.ts';
import { failureOf, toFault } from './upstream-fault.ts';

/** Calls under way at once: EDGAR takes ten a second. */
const lanes = 3;
/** Other texts are no tickers, and no source is asked for them. */
const tickerPattern = /^[A-Z0-9][A-Z0-9.:/-]{0,15}$/;

/** A ticker that every source knows. */
const probeTicker = 'AAPL';

/** Figures from the configured sources; null without any. */
export function openFinance(
  known: readonly FinanceDeclaration[],
  entries: readonly SourceEntry[],
  context: SourceContext,
  onFailure: OnFailure,
): (Finance & { close(): Promise<void> }) | null {
  const sources = entries.map((entry) => openSource(known, entry, context));
  if (sources.length === 0) return null;
  const pool = askInTurn(sources, context.clock, onFailure);
  return {
    categories: financeCategories.filter((category) =>
      sources.some((source) => source.categories.includes(category)),
    ),
    async find(categories, tickers, signal, account = ownAccount) {
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
          const result = await pool.ask(one, { signal, account });
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
    async close() {
      pool.close();
      await Promise.all(sources.map(async (source) => source.close?.()));
    },
  };
}

type FinanceQuestion = FinanceAnswers['failed'][number];

/** Each question goes to the first source of its category. One that is away rests as search engines do. */
function askInTurn(sources: readonly FinanceSource[], clock: Clock, onFailure: OnFailure) {
  const breakers = new Breakers<number>({
    policy: breakerPolicy,
    clock,
    async probe(index, signal) {
      const source = sources[index];
      const [category] = source?.categories ?? [];
      if (source === undefined || category === undefined) return 'unknown';
      return verdictOf(
        await attempt(
          source,
          { category, ticker: probeTicker },
          {
            signal,
            account: ownAccount,
          },
        ),
      );
    },
  });
  return {
    /** Resolves to null where no source knows the category. Rejects when the signal aborts, and for defects. */
    async ask(question: FinanceQuestion, caller: Caller): Promise<Attempt<FinanceAnswer | null> | null> {
      const index = sources.findIndex(({ categories }) => categories.includes(question.category));
      const source = sources[index];
      if (source === undefined) return null;
      const end = breakers.begin(index);
      if (end === null) return { ok: false, failure: resting(breakers.waitMs([index])) };
      try {
        const result = await attempt(source, question, caller);
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
  { signal, account }: Caller,
): Promise<Attempt<FinanceAnswer | null>> {
  try {
    return { ok: true, value: await source.find(category, ticker, signal, account) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = failureOf(error);
    if (failure === null) throw error;
    return { ok: false, failure };
  }
}
