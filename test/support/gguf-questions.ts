import type { State, NormalizedQuestion } from '../../src/features/decisions/engine.ts';

export function stateOf(text: string): State {
  return { entry: text, text, images: [] };
}

export function noulOf(question: string, yes = '', no = ''): NormalizedQuestion {
  return {
    kind: 'noul',
    question,
    options: [
      { name: 'true', description: yes },
      { name: 'false', description: no },
    ],
  };
}

export function choiceOf(options: number, question = 'Which one?'): NormalizedQuestion {
  return {
    kind: 'choice',
    question,
    options: Array.from({ length: options }, (_, index) => ({
      name: `option ${index}`,
      description: index % 3 === 0 ? `describes ${index}` : '',
    })),
  };
}

export function scoreOf(levels: number, question = 'How much?'): NormalizedQuestion {
  return {
    kind: 'score',
    question,
    options: Array.from({ length: levels }, (_, index) => ({
      name: String(index),
      description: `level ${index}`,
    })),
  };
}

/** About one token per word and twelve words per repetition. */
export function proseOf(repetitions: number, seed = ''): string {
  const sentence = (index: number) =>
    `The customer number ${seed}${index} ordered a pair of running shoes two weeks ago.`;
  return Array.from({ length: repetitions }, (_, index) => sentence(index)).join(' ');
}
