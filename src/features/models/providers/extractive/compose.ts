import type { SourcePassage } from '../../model.ts';
import type { Choice } from './choose.ts';
import { toQuotes, type Quote } from './quote.ts';
import type { Question } from './question.ts';
import type { ReadPassage } from './units.ts';

const nearMax = 3;

const whatItIs =
  'This server has no language model: it quotes what a search finds, and writes nothing of its own.';
const howToChange = 'To have answers written, configure a model; see docs/guide/models.md.';

/** The answer as text: quotes with citations, or in plain words why there are none. */
export function compose(
  question: Question,
  sources: readonly SourcePassage[],
  read: readonly ReadPassage[],
  choice: Choice | null,
): string {
  if (question.text === '') return `${whatItIs} Ask a question in words to get an answer. ${howToChange}`;
  if (choice === null) return `${whatItIs} For this question it was given no sources. ${howToChange}`;
  const undone =
    question.task === null
      ? ''
      : `Nothing was ${question.task}: this server has no language model and only quotes. ${howToChange}`;
  if (choice.chosen.length > 0) {
    const quotes = toQuotes(choice.chosen, read, question);
    return [joined(quotes), undone].filter((part) => part !== '').join('\n\n');
  }
  return nearestOf(sources, choice, undone === '' ? `${whatItIs} ${howToChange}` : undone);
}

/** Prose without a heading goes on in one paragraph. */
function joined(quotes: readonly Quote[]): string {
  let text = '';
  let isOpen = false;
  for (const { heading, text: quoted, isProse } of quotes) {
    const isPlain = heading === '' && isProse;
    if (text !== '') text += isOpen && isPlain ? ' ' : '\n\n';
    text += (heading === '' ? '' : `**${heading}**\n\n`) + quoted;
    isOpen = isPlain;
  }
  return text;
}

function nearestOf(sources: readonly SourcePassage[], { near }: Choice, why: string): string {
  const links = near.slice(0, nearMax).flatMap(({ unit }) => {
    const source = sources[unit.passage];
    if (source === undefined) return [];
    const title = source.title.trim() || source.url;
    const heading = unit.headings.at(-1) ?? '';
    const place = heading === '' || heading === title ? title : `${title}, “${heading}”`;
    return [`${place} [${source.id}]`];
  });
  const found =
    links.length === 0
      ? 'None of the sources that were found is about it.'
      : `Closest ${links.length === 1 ? 'section' : 'sections'}: ${links.join('; ')}.`;
  return `No sentence of the sources answers this question. ${found} Other words or a narrower question may help. ${why}`;
}
