import { splitName } from '../../../../kernel/kit/words.ts';
import type { RowText } from '../../../models/feature.ts';
import type { NormalizedQuestion, Option } from '../../engine.ts';

/**
 * What stands for each option of a question, in one text each: the question and the option as a person would say it. A
 * noul has its statement alone where nobody said what `false` means.
 */
export function optionTexts({ kind, question, options }: NormalizedQuestion): readonly string[] {
  const texts = options.map((option, index) => {
    const said = optionText(kind, option, index, options.length);
    return question === '' ? said : `${question} ${said}`.trim();
  });
  return kind === 'noul' && options[1]?.description === '' ? texts.slice(0, 1) : texts;
}

/** The same, each a row of its own. */
export const rowTexts = (question: NormalizedQuestion): readonly RowText[] =>
  optionTexts(question).map((text) => ({ text, pair: null }));

function optionText(
  kind: NormalizedQuestion['kind'],
  { name, description }: Option,
  index: number,
  count: number,
): string {
  switch (kind) {
    case 'noul':
      return description;
    case 'choice': {
      const said = splitName(name).trim() || name;
      return description === '' ? said : `${said}: ${description}`;
    }
    case 'score':
      return levelText(description, index, count);
  }
}

export const levelText = (description: string, index: number, count: number): string =>
  description === '' ? `level ${index + 1} of ${count}` : description;

/** An option as decision models were trained to read it: its name, and what it means where that was said. */
export const namedText = (name: string, description: string): string =>
  description === '' ? name : `${name}: ${description}`;

/** Options as models read them that know no kinds of questions: a noul is answered with yes or no. */
export const spokenTexts = ({ kind, options }: NormalizedQuestion): readonly string[] =>
  options.map(({ name, description }, index) => {
    if (kind === 'score') return levelText(description, index, options.length);
    return namedText(kind === 'noul' ? spoken[name === 'true' ? 1 : 0] : name, description);
  });

const spoken = ['no', 'yes'] as const;
