import { attribute, contextBlock, neutralise } from './context-block.ts';
import type { Source } from './tool.ts';

/** What a model reads of sources: number, title, address, dates and text of each. */
export function toFoundText(sources: readonly Source[]): string {
  const note = 'This is what a search found. Cite a source by its number in brackets, like [1].';
  return contextBlock('results', note, sources.map(toResult).join('\n\n'));
}

function toResult({ id, title, url, date, lastUpdated, text, snippet }: Source): string {
  const dates = [
    ...(date === null ? [] : [`published="${date}"`]),
    ...(lastUpdated === null ? [] : [`updated="${lastUpdated}"`]),
  ];
  const head = [`number="${id}"`, `title="${attribute(title)}"`, `url="${attribute(url)}"`, ...dates].join(
    ' ',
  );
  return `<result ${head}>\n${neutralise(text === '' ? snippet : text).trim()}\n</result>`;
}

/** Several rankings as one: the first of each, then the second, each address once. */
export function roundRobin<Item extends { readonly url: string }>(
  rankings: readonly (readonly Item[])[],
  countMax: number,
): readonly Item[] {
  const taken = new Map<string, Item>();
  const longest = Math.max(0, ...rankings.map(({ length }) => length));
  for (let place = 0; place < longest; place++) {
    for (const ranking of rankings) {
      const item = ranking[place];
      if (item !== undefined && !taken.has(item.url)) taken.set(item.url, item);
      if (taken.size >= countMax) return [...taken.values()];
    }
  }
  return [...taken.values()];
}
