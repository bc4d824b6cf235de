import {
  isEmpty,
  levelsMax,
  optionsMax,
  problem,
  questionsMax,
  type DraftProblem,
  type QuestionDraft,
  type Value,
} from './draft.ts';
import { parseJson } from './json-text.ts';

/** The first thing that keeps these questions from being asked; null when they can be. */
export function problemOf(drafts: readonly QuestionDraft[]): DraftProblem | null {
  if (drafts.length === 0) return problem('Add a question first.');
  if (drafts.length > questionsMax) return problem(`At most ${questionsMax} questions can be asked at once.`);
  const names = new Set<string>();
  for (const [at, draft] of drafts.entries()) {
    if (draft.name === '') return { question: draft.id, message: `Question ${at + 1} needs a name.` };
    if (names.has(draft.name))
      return { question: draft.id, message: `Two questions are called ${JSON.stringify(draft.name)}.` };
    names.add(draft.name);
    const message = problemIn(draft);
    if (message !== null)
      return { question: draft.id, message: `Question ${JSON.stringify(draft.name)}: ${message}` };
  }
  return null;
}

function problemIn(draft: QuestionDraft): string | null {
  const { kind, options, levels } = draft;
  const broken = [draft.instructions, ...valuesOf(draft)].find(
    ({ isJson, text }) => isJson && isNoTree(text),
  );
  if (broken !== undefined) return 'one of its fields holds JSON with a mistake.';
  switch (kind) {
    case 'noul':
      return [draft.instructions, draft.yes, draft.no].every(isEmpty)
        ? 'write what to judge, or what yes and no mean.'
        : null;
    case 'choice': {
      if (options.length === 0 || options.length > optionsMax) return `it needs 1 to ${optionsMax} options.`;
      if (options.some(({ name }) => name === '')) return 'every option needs a name.';
      const names = new Set(options.map(({ name }) => name));
      return names.size < options.length ? 'two of its options have the same name.' : null;
    }
    case 'score': {
      if (levels.length === 0 || levels.length > levelsMax) return `it needs 1 to ${levelsMax} levels.`;
      return levels.some(({ value }) => isEmpty(value)) ? 'every level needs a text.' : null;
    }
  }
}

function valuesOf({ kind, yes, no, options, levels }: QuestionDraft): readonly Value[] {
  switch (kind) {
    case 'noul':
      return [yes, no];
    case 'choice':
      return options.map(({ description }) => description);
    case 'score':
      return levels.map(({ value }) => value);
  }
}

function isNoTree(text: string): boolean {
  return parseJson(text).problem !== null;
}
