import type { SourcePassage } from '../../model.ts';
import type { Question } from './question.ts';
import type { Ranking } from './rank.ts';

const nearMax = 3;

const whatItIs =
  'This server has no language model: it quotes sentences from what a search finds, and writes nothing of its own.';
const howToChange = 'To have answers written, configure a model; see docs/guide/models.md.';

/** The answer as text: quoted sentences with citations, or in plain words why there are none. */
export function compose(
  question: Question,
  sources: readonly SourcePassage[],
  ranking: Ranking | null,
): string {
  if (question.text === '') return `${whatItIs} Ask a question in words to get an answer. ${howToChange}`;
  if (ranking === null) return `${whatItIs} For this question it was given no sources. ${howToChange}`;
  if (ranking.chosen.length > 0)
    return ranking.chosen.map(({ text, sourceId }) => `${text} [${sourceId}]`).join(' ');
  const near = ranking.near.slice(0, nearMax).flatMap((at) => {
    const source = sources[at];
    return source === undefined ? [] : [`${source.title.trim() || source.url} [${source.id}]`];
  });
  const found =
    near.length === 0
      ? 'None of the sources that were found speaks of it.'
      : `These sources come near: ${near.join('; ')}.`;
  return `No sentence of the sources answers this question. ${found} Other words or a narrower question may help. ${whatItIs} ${howToChange}`;
}
