import type { LocalModel } from '../../../models/feature.ts';

/** A label of an option: its text in the prompt, and its only token after the prompt. */
export interface Label {
  readonly text: string;
  readonly token: number;
}

/**
 * The labels of a tokenizer: A to Z, then pairs of capitals, as many as are one token of their own right after the
 * rendered prompt (`tail` ends it). Qwen has about 550, SentencePiece vocabularies about 230. One token each,
 * so that one pass reads all options and none is favoured for its length.
 */
export function chooseLabels({ vocabulary }: LocalModel, tail: string): readonly Label[] {
  const before = vocabulary.ofTemplate(tail);
  const taken = new Set<number>();
  return candidates().flatMap((text) => {
    const [token, ...more] = addedBy(vocabulary.ofTemplate(tail + text), before);
    if (token === undefined || more.length > 0 || taken.has(token)) return [];
    taken.add(token);
    return [{ text, token }];
  });
}

/** Empty when the text changed the tokens before it. */
function addedBy(tokens: readonly number[], before: readonly number[]): readonly number[] {
  return before.every((token, index) => tokens[index] === token) ? tokens.slice(before.length) : [];
}

function candidates(): readonly string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];
}
