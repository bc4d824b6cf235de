import type { LocalModel, Suffix } from '../../../models/feature.ts';
import {
  labelTexts,
  questionOpening,
  renderQuestion,
  renderUserPrefix,
  systemPrompt,
} from '../../question-prompt.ts';
import type { State, NormalizedQuestion } from '../../engine.ts';
import { passesOf, withOptions, type Pass } from './passes.ts';

export interface QuestionPrompt {
  readonly question: NormalizedQuestion;
  readonly passes: readonly Pass[];
  /** One per pass. */
  readonly suffixes: readonly AskedSuffix[];
}

export interface AskedSuffix extends Suffix {
  /** Scores of the options, in their order, from the logits of what is asked for; the logits themselves by default. */
  readonly toScores?: (logits: readonly number[]) => readonly number[];
}

/** Prompts as tokens of one model, cached by state and question, because counting and scoring need the same. */
export interface Prompts {
  prefixOf(state: State, signal: AbortSignal): Promise<readonly number[]>;
  promptOf(state: State, question: NormalizedQuestion, signal: AbortSignal): Promise<QuestionPrompt>;
  /** Of some of the options. */
  suffixOf(state: State, question: NormalizedQuestion, pass: Pass, signal: AbortSignal): Promise<AskedSuffix>;
  /** Orders of its options in which a question is asked, where one alone is not what the model was taught. */
  readonly orders?: (question: NormalizedQuestion) => readonly (readonly number[])[];
}

/** A question in as few prompts as the labels allow. */
export async function inPasses(
  question: NormalizedQuestion,
  labels: number,
  suffixOf: (pass: Pass) => Promise<AskedSuffix>,
): Promise<QuestionPrompt> {
  const passes = passesOf(question.options.length, labels);
  const suffixes: AskedSuffix[] = [];
  for (const pass of passes) suffixes.push(await suffixOf(pass));
  return { question, passes, suffixes };
}

/** For any chat model. Throws Error when its tokenizer has no labels. */
export function createPrompts(model: LocalModel): Prompts & { readonly labels: number } {
  const { template, vocabulary } = model;
  const segmentsOf = (text: string) =>
    template.render([
      { role: 'system', content: systemPrompt },
      { role: 'user', content: renderUserPrefix(text) },
    ]);
  // What the template puts behind the user's words is the same for every state.
  const tail = segmentsOf('').at(-1)?.text ?? '';
  const tailTokens = vocabulary.ofTemplate(tail);
  const openingTokens = vocabulary.ofTemplate(questionOpening);
  const labels = chooseLabels(model, tail);
  if (labels.length < 2) throw new Error('the tokenizer has no single tokens for labels');
  const texts = labels.map(({ text }) => text);
  const prefixes = new WeakMap<State, readonly number[]>();
  const prompts = new WeakMap<NormalizedQuestion, QuestionPrompt>();

  const suffixOf: Prompts['suffixOf'] = async (_, question, pass, signal) => {
    const text = renderQuestion(withOptions(question, pass), texts).slice(questionOpening.length);
    const tokens = await vocabulary.ofData(text, signal);
    const ask = labels.slice(0, pass.length).map(({ token }) => token);
    return { tokens: [...tokens, ...tailTokens], ask };
  };

  return {
    /** Most options of one pass. */
    labels: labels.length,
    suffixOf,
    async prefixOf(state: State, signal: AbortSignal): Promise<readonly number[]> {
      const known = prefixes.get(state);
      if (known !== undefined) return known;
      const before = await vocabulary.ofSegments(segmentsOf(state.text).slice(0, -1), signal);
      const tokens = [...before, ...openingTokens];
      prefixes.set(state, tokens);
      return tokens;
    },
    async promptOf(state: State, question: NormalizedQuestion, signal: AbortSignal): Promise<QuestionPrompt> {
      const known = prompts.get(question);
      if (known !== undefined) return known;
      const prompt = await inPasses(question, labels.length, (pass) =>
        suffixOf(state, question, pass, signal),
      );
      prompts.set(question, prompt);
      return prompt;
    },
  };
}

/**
 * The labels of a tokenizer: A to Z, then pairs of capitals, as many as are one token of their own right after the
 * rendered prompt (`tail` ends it). Qwen has about 550, SentencePiece vocabularies about 230. One token each,
 * so that one pass reads all options and none is favoured for its length.
 */
function chooseLabels({ vocabulary }: LocalModel, tail: string) {
  const before = vocabulary.ofTemplate(tail);
  const taken = new Set<number>();
  return labelTexts.flatMap((text) => {
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
