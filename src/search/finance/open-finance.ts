import type { Clock } from '../../kit/clock.ts';
import type { CallFailure } from '../../kit/call-failure.ts';
import type { OnFailure } from '../../kit/failure-log.ts';
import type { EngineCalls } from '../engine-calls.ts';
import { financeCategories, type Finance, type FinanceAnswer } from '../finance.ts';
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

/** Figures out of what is configured; null where nothing is. */
export function createFinance(
  choices: readonly FinanceChoice[],
  {
    onFailure,
    ...parts
  }: { readonly calls: EngineCalls; readonly clock: Clock; readonly onFailure: OnFailure },
): Finance | null {
  const sources: readonly FinanceSource[] = choices.map((choice) =>
    choice.type === 'edgar'
      ? createEdgar({ ...parts, ...choice })
      : createTwelveData({ ...parts, ...choice }),
  );
  if (sources.length === 0) return null;
  return {
    categories: financeCategories.filter((category) =>
      sources.some((source) => source.categories.includes(category)),
    ),
    async find(categories, tickers, signal) {
      const asked = tickers
        .map((ticker) => ticker.trim().toUpperCase())
        .filter((ticker) => tickerPattern.test(ticker))
        .flatMap((ticker) => categories.map((category) => ({ ticker, category })));
      const failures: { readonly asked: (typeof asked)[number]; readonly failure: CallFailure }[] = [];
      const answers: (FinanceAnswer | null)[] = asked.map(() => null);
      let next = 0;
      let answered = 0;
      const lane = async () => {
        for (let place = next++; place < asked.length; place = next++) {
          const one = asked[place];
          const source = sources.find(
            ({ categories: known }) => one !== undefined && known.includes(one.category),
          );
          if (one === undefined || source === undefined) continue;
          try {
            answers[place] = await source.find(one.category, one.ticker, signal);
            answered++;
          } catch (error) {
            signal.throwIfAborted();
            const failure = failureOf(error);
            if (failure === null) throw error;
            failures.push({ asked: one, failure });
            onFailure('source of figures', error);
          }
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
  };
}
