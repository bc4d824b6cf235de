import { createHash } from 'node:crypto';

/** One token of the vocabulary with its logprob at the answer position. */
export interface ModelToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

export interface ModelOptions {
  /** Words that are no labels and likelier than most labels. */
  readonly crowd?: number;
  /** Makes the model begin with prose: no label is anywhere near the top. */
  readonly talks?: boolean;
}

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Pairs that the vocabulary lacks as one token, as real ones lack some. */
const split = new Set(['QZ', 'ZX', 'JQ', 'AB']);
const pairs = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((pair) => !split.has(pair));
const labels = [...letters, ...pairs];
const lineBreak = 10;

/** Single tokens: labels from 1000, with a space in front from 2000, words from 5000. */
export const idOf = new Map(
  labels.flatMap((label, index) => [[label, 1_000 + index] as const, [` ${label}`, 2_000 + index] as const]),
);
export const textOf = new Map([...idOf].map(([text, id]) => [id, text]));
const words = Array.from({ length: 400 }, (_, index) => ({ id: 5_000 + index, text: ` word${index}` }));

/** Tokens of a text in which each label stands on its own line, as the vocabulary above has them. */
export function tokenize(text: string): number[] {
  return text.split(/(\n)/).flatMap((piece) => {
    if (piece === '') return [];
    if (piece === '\n') return [lineBreak];
    const whole = idOf.get(piece);
    return whole === undefined ? Array.from(piece, (char) => 100 + (char.codePointAt(0) ?? 0)) : [whole];
  });
}

/** What a text of the prompt says: its options by label, and everything that an answer may depend on. */
function readPrompt(prompt: string) {
  const at = prompt.lastIndexOf('\n\nQuestion: ');
  const question = prompt.slice(at).split('\n\n')[1] ?? '';
  const options = [...prompt.slice(at).matchAll(/^([A-Z]{1,2}): (.*)$/gmu)];
  const stateText = /<material>\n(.*)\n<\/material>/su.exec(prompt)?.[1] ?? '';
  return { question, stateText, options: options.map(([, label = '', text = '']) => ({ label, text })) };
}

/** From -3 to 3; what an option is worth depends on nothing but state, question and the option itself. */
export function logitOf(stateText: string, question: string, option: string): number {
  const seed = JSON.stringify([stateText, question, option]);
  return (createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32) * 6 - 3;
}

/** The whole distribution after a prompt, likeliest first. The same prompt has the same distribution. */
export function nextTokens(prompt: string, { crowd = 4, talks = false }: ModelOptions = {}): ModelToken[] {
  const { question, stateText, options } = readPrompt(prompt);
  const logits = new Map<number, { text: string; logit: number }>();
  for (const [text, id] of idOf) logits.set(id, { text, logit: -14 });
  for (const [index, { id, text }] of words.entries()) {
    logits.set(id, { text, logit: index < crowd ? 2 - index / 10 : -10 - index / 100 });
  }
  for (const { label, text } of options) {
    const logit =
      logitOf(stateText, `Question: ${question.replace(/^Question: /, '')}`, text) - (talks ? 40 : 0);
    const ids = [idOf.get(label), idOf.get(` ${label}`)];
    if (ids[0] !== undefined) logits.set(ids[0], { text: label, logit });
    if (ids[1] !== undefined) logits.set(ids[1], { text: ` ${label}`, logit: logit - 4 });
  }
  const total = Math.log([...logits.values()].reduce((sum, { logit }) => sum + Math.exp(logit), 0));
  return [...logits]
    .map(([id, { text, logit }]) => ({ id, text, logprob: logit - total }))
    .sort((a, b) => b.logprob - a.logprob || a.id - b.id);
}

/** What an exact reading of the labels gives for these options. */
export function exactDistribution(stateText: string, question: string, options: readonly string[]): number[] {
  const weights = options.map((option) => Math.exp(logitOf(stateText, `Question: ${question}`, option)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The text of chat messages, images left out. */
export function textOfMessages(messages: unknown): string {
  return (messages as { content: string | { type: string; text?: string }[] }[])
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
    )
    .join('\n');
}

export function hasImages(messages: unknown): boolean {
  return JSON.stringify(messages).includes('"image_url"');
}

export function bytesOf(text: string): number[] {
  return [...Buffer.from(text)];
}
