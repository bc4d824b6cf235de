import { Type } from 'typebox';
import { Arguments } from '../arguments.ts';
import { attribute, failure, contextBlock, neutralise } from '../context-block.ts';
import { defineTool, outputItem } from '../define-tool.ts';
import { guardedCall } from '../guarded-call.ts';
import { parametersOf, textList, type ToolItems } from '../tool.ts';

declare module '../tool.ts' {
  interface ToolItems {
    readonly finance: {
      readonly categories: readonly string[];
      readonly tickers: readonly string[];
      readonly results: readonly {
        readonly category: string;
        readonly content: string;
        readonly sources: readonly string[];
        readonly tickers: readonly string[];
      }[];
    };
  }
}

const tickersMax = 5;
const timeoutMs = 30_000;
const what = 'The source of figures';
const text = Type.String();
const texts = Type.Array(text);

/** Finds figures of companies by ticker. */
export const financeSearch = defineTool({
  name: 'finance_search',
  request: { fields: {}, toOptions: () => undefined },
  isAvailable: ({ finance }) => finance !== null,
  price: { name: 'finance_search', usd: 0.005 },
  items: {
    finance: outputItem(
      'finance_results',
      {
        categories: texts,
        tickers: texts,
        results: Type.Array(Type.Object({ category: text, content: text, sources: texts, tickers: texts })),
      },
      ({ categories, tickers, results }: ToolItems['finance']) => ({ categories, tickers, results }),
    ),
  },
  open({ finance, charge, onFailure }) {
    if (finance === null) return null;
    const { categories: known } = finance;
    return {
      description: `Figures of companies and securities by ticker symbol. Known categories: ${known.join(', ')}.`,
      parameters: parametersOf({
        tickers: textList(tickersMax, 'Ticker symbols such as AAPL.'),
        categories: { type: 'array', items: { type: 'string', enum: [...known] }, minItems: 1 },
      }),
      async run(args, _callId, run) {
        const read = new Arguments(args);
        const tickers = read.texts('tickers', tickersMax, 16).map((ticker) => ticker.toUpperCase());
        const asked = read.texts('categories', known.length, 32);
        const categories = known.filter((one) => asked.includes(one));
        if (read.problem !== null) return failure(read.problem);
        if (categories.length === 0) return failure(`"categories" has to name some of ${known.join(', ')}.`);
        return guardedCall(run.signal, { timeoutMs, what, onFailure }, async (signal) => {
          const { answers, failed } = await finance.find(categories, tickers, signal, run.accountId);
          const missing = failed.map(({ ticker, category }) => `${attribute(ticker)} (${category})`);
          const note = missing.length === 0 ? '' : `\n\nThese could not be asked for: ${missing.join(', ')}.`;
          const body = answers.map(
            ({ category, tickers: of, content, sources }) =>
              `${of.join(', ')}, ${category} (${sources.join(', ')}):\n${content}`,
          );
          const figures =
            answers.length === 0
              ? `Nothing is known about ${tickers.join(', ')}.`
              : contextBlock(
                  'figures',
                  'These are figures of public sources.',
                  neutralise(body.join('\n\n')),
                );
          return {
            items: [{ type: 'finance', categories, tickers, results: answers }],
            text: figures + note,
            isError: false,
            uses: charge(1),
          };
        });
      },
    };
  },
});
