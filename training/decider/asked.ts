import { readFileSync } from 'node:fs';

import type { Origin } from './pools.ts';

/** Ways to ask one thing, each with its opposite in words of its own. */
export type Ways = readonly (readonly [yes: string, no: string])[];

/** Texts, what is asked of each, and how much of it holds. */
export interface Asked extends Origin {
  readonly kinds: readonly Ways[];
  readonly rows: readonly (readonly [text: string, kind: number, truth: number])[];
}

/** A question as `questions.txt` writes it. */
export interface Question {
  readonly name: string;
  readonly ways: Ways;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Blocks of lines: `# name`, `? way | its opposite`, `+ text of which it holds`, `- text of which it does not`. */
export function parseQuestions(text: string): readonly Question[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [name = '', ...lines] = block.split('\n');
      const of = (mark: string) =>
        lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2).trim());
      const ways = of('?').map((line) => {
        const [yes = '', no = ''] = line.split(' | ');
        return [yes, no] as const;
      });
      return { name: name.trim(), ways, yes: of('+'), no: of('-') };
    });
}

export const readQuestions = (path: string): readonly Question[] =>
  parseQuestions(readFileSync(path, 'utf8'));

/** Every fifth question is judged on and never trained on; of the others every fourth way and text. */
const isHeld = (index: number): boolean => index % 5 === 2;
const isJudged = (index: number): boolean => index % 4 === 3;

/** What is trained on. */
export function trainedQuestions(questions: readonly Question[]): Asked {
  const kept = questions.filter((_, index) => !isHeld(index));
  const rows = kept.flatMap(({ yes, no }, kind) =>
    [yes, no].flatMap((texts, place) =>
      texts.filter((_, index) => !isJudged(index)).map((text) => [text, kind, 1 - place] as const),
    ),
  );
  const kinds = kept.map(({ ways }) => ways.filter((_, index) => !isJudged(index)));
  return {
    name: 'questions',
    source: 'training/decider/questions.txt',
    licence: 'Nestor’s own',
    kinds,
    rows,
  };
}

/** What is judged on: questions that no training saw, and other words for those that it saw, on other texts. */
export function judgedQuestions(questions: readonly Question[]) {
  const judged = (isNew: boolean) =>
    questions.flatMap(({ name, ways, yes, no }, at) => {
      if (isHeld(at) !== isNew) return [];
      const kept = <T>(list: readonly T[]) => list.filter((_, index) => isNew || isJudged(index));
      return [{ name, ways: kept(ways), yes: kept(yes), no: kept(no) }];
    });
  return { unseen: judged(true), seen: judged(false) };
}
