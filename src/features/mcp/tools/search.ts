import { Type } from 'typebox';
import { search } from '../../client/feature.ts';
import { sourceFilters, toSourceList } from '../sources.ts';
import { defineTool } from '../tool.ts';
import { Strict } from '../../../kernel/kit/schema.ts';

/** `search`: pages of the web and of the server's own index, with extracts. */
export const searchTool = defineTool({
  name: 'search',
  title: 'Search',
  description:
    'Searches the web and the documents of this server and returns extracts of the best pages with their addresses and dates. Use it when the pages themselves are wanted; `ask` answers a question from them.',
  inputSchema: Strict({
    query: Type.Union(
      [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: 5 })],
      {
        description: 'What to look for; up to five queries at once, whose results are merged.',
      },
    ),
    max_results: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'Default 10.' })),
    ...sourceFilters,
    search_mode: Type.Optional(
      Type.Enum(['web', 'academic', 'sec'], {
        description: 'academic: papers. sec: filings of companies.',
      }),
    ),
  }),
  outputSchema: Type.Object({
    results: Type.Array(Type.Object({ title: Type.String(), url: Type.String(), snippet: Type.String() })),
  }),
  annotations: { idempotentHint: true, openWorldHint: true },
  async run({ query, ...filters }, { api, signal }) {
    const { results } = await search(api, { query, ...filters }, signal);
    const text = results.length === 0 ? 'Nothing was found.' : toSourceList(results, { withSnippets: true });
    return { text, data: { results: results.map(toResult) } };
  },
});

function toResult({ title, url, date, snippet }: Awaited<ReturnType<typeof search>>['results'][number]) {
  return date === null ? { title, url, snippet } : { title, url, snippet, date };
}
