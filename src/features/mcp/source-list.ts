import type { Source } from '../client/feature.ts';

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
