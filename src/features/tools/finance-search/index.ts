import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import type { Finance } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { guardedCall } from '../guarded-call.ts';
import { attribute, failure, contextBlock, neutralise } from '../context-block.ts';
import type { Tool } from '../tool.ts';

export interface FinanceSearchParts {
  readonly finance: Finance;
  readonly priceUsd: number;
  readonly onFailure: OnFailure;
}

const tickersMax = 5;
const timeoutMs = 30_000;
const what = 'The source of figures';

/** Figures of companies by ticker. */
export function createFinanceSearch({ finance, priceUsd, onFailure }: FinanceSearchParts): Tool {
  const { categories: known } = finance;
  return {
    definition: {
      name: 'finance_search',
      description: `Figures of companies and securities by ticker symbol. Known categories: ${known.join(', ')}.`,
      parameters: {
        type: 'object',
        properties: {
          tickers: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: tickersMax,
            description: 'Ticker symbols such as AAPL.',
          },
          categories: { type: 'array', items: { type: 'string', enum: [...known] }, minItems: 1 },
        },
        required: ['tickers', 'categories'],
        additionalProperties: false,
      },
      strict: false,
    },

    async call(args, _callId, run) {
      const read = new Arguments(args);
      const tickers = read.texts('tickers', tickersMax, 16).map((ticker) => ticker.toUpperCase());
      const asked = read.texts('categories', known.length, 32);
      const categories = known.filter((one) => asked.includes(one));
      if (read.problem !== null) return failure(read.problem);
      if (categories.length === 0) return failure(`"categories" has to name some of ${known.join(', ')}.`);
      return guardedCall(run.signal, { timeoutMs, what, onFailure }, async (signal) => {
        const { answers, failed } = await finance.find(categories, tickers, signal);
        const note =
          failed.length === 0
            ? ''
            : `\n\nThese could not be asked for: ${failed.map(({ ticker, category }) => `${attribute(ticker)} (${category})`).join(', ')}.`;
        const body = answers.map(
          ({ category, tickers: of, content, sources }) =>
            `${of.join(', ')}, ${category} (${sources.join(', ')}):\n${content}`,
        );
        return {
          items: [{ type: 'finance', categories, tickers, results: answers }],
          text:
            (answers.length === 0
              ? `Nothing is known about ${tickers.join(', ')}.`
              : contextBlock(
                  'figures',
                  'These are figures of public sources.',
                  neutralise(body.join('\n\n')),
                )) + note,
          isError: false,
          uses: [{ name: 'finance_search', count: 1, costUsd: priceUsd }],
        };
      });
    },
  };
}
