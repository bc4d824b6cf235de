import { search } from '../search.ts';
import { checkOneOf, filterOptions, toFilters } from './ask.ts';
import { clientCommand, clientUsage, printReply, readWordsOrInput } from './client-command.ts';
import { createPaint, toHead, toLine, toLines, toWidth } from './client-paint.ts';
import { toWhole } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor search QUERY: pages of the web and of the server's own index

  nestor search "group commit sqlite"
  nestor search "transformer attention" --mode academic --max 5
  nestor search "release notes" --domain nodejs.org --recency month --json

Several queries are given with --query; their results are merged.

  --max N               results, 1 to 20 (default 10)
  --query TEXT          a further query; up to five in all
  --mode MODE           web (default), academic or sec
  --domain HOST         only this site; =-HOST leaves one out; may be given several times
  --recency TIME        only pages of the last hour, day, week, month or year
  --full                whole extracts in place of their first lines
${clientUsage}
See docs/guide/search.md.`;

const { domain, recency } = filterOptions;
const options = {
  domain,
  recency,
  query: { type: 'string', multiple: true },
  max: { type: 'string' },
  mode: { type: 'string' },
  full: { type: 'boolean', default: false },
} as const;

const extractWidth = 300;

export const runSearch = clientCommand({
  name: 'search',
  usage,
  options,
  plan({ values, words }, context) {
    const max = toWhole('--max', values.max);
    const { mode, query: more = [] } = values;
    checkOneOf('--mode', mode, ['web', 'academic', 'sec']);
    const fields = {
      ...toFilters(values),
      ...(max === null ? {} : { max_results: max }),
      ...(mode === undefined ? {} : { search_mode: mode }),
    };
    return async (client) => {
      const first =
        more.length > 0 && words.length === 0 ? [] : [await readWordsOrInput(words, 'QUERY', context)];
      const queries = [...first, ...more];
      const query = queries.length === 1 ? (queries[0] ?? '') : queries;
      const { reply, results } = await search(client, { ...fields, query }, context.signal);
      if (values.json) printReply(context.out, reply);
      else print(results, values.full, context);
    };
  },
});

function print(
  results: Awaited<ReturnType<typeof search>>['results'],
  isFull: boolean,
  { out, err, isPlain }: CommandContext,
): void {
  if (results.length === 0) err.write('Nothing was found.\n');
  const paint = createPaint(out, isPlain);
  for (const [index, result] of results.entries()) {
    const extract = isFull
      ? toLines(result.snippet)
      : toWidth(toLine(result.snippet).replaceAll(/\s+/g, ' ').trim(), extractWidth);
    const lines = extract === '' ? '' : `${extract.replaceAll(/^/gm, '    ')}\n`;
    out.write(`${index === 0 ? '' : '\n'}${toHead(result, index, paint)}\n${lines}`);
  }
}
