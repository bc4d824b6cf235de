import { Type } from 'typebox';
import type { Source } from '../client/feature.ts';

/** Which pages count, as fields of a tool's input. */
export const sourceFilters = {
  search_domain_filter: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only these sites; one that begins with "-" is left out.',
      maxItems: 20,
    }),
  ),
  search_recency_filter: Type.Optional(
    Type.Enum(['hour', 'day', 'week', 'month', 'year'], {
      type: 'string',
      description: 'Only pages of this last time.',
    }),
  ),
};

/** The sources of an answer, as a tool's output. */
export const Sources = Type.Array(
  Type.Object({ title: Type.String(), url: Type.String(), date: Type.Union([Type.String(), Type.Null()]) }),
);

/** Numbered as the markers of an answer are. */
export function toSourceList(
  sources: readonly Source[],
  { withSnippets }: { readonly withSnippets: boolean },
): string {
  const entries = sources.map(({ title, url, date, snippet }, index) => {
    const head = `[${index + 1}] ${title === '' ? url : title}${date === null ? '' : ` (${date})`}\n${url}`;
    return withSnippets && snippet !== '' ? `${head}\n${snippet}` : head;
  });
  return entries.join(withSnippets ? '\n\n' : '\n');
}

/** An answer with its sources, for a model and for a program. */
export function toAnswered(text: string, sources: readonly Source[]) {
  const list = sources.length === 0 ? '' : `\n\nSources:\n${toSourceList(sources, { withSnippets: false })}`;
  return {
    text: `${text}${list}`,
    sources: sources.map(({ title, url, date }) => ({ title, url, date })),
  };
}
