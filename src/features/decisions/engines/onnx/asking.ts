import { Fault } from '../../../../kernel/faults.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { OnnxModel, RowText } from '../../../models/feature.ts';
import type { Distribution, NormalizedQuestion, State, StateWindows } from '../../engine.ts';
import type { Reader } from './adapter.ts';
import { createStateCuts } from './state-cuts.ts';

/** What the engine is asked, for any adapter. */
export interface Asking {
  countTokens(state: State, questions: readonly NormalizedQuestion[], caller: Caller): Promise<number>;
  score(
    state: State,
    questions: readonly NormalizedQuestion[],
    caller: Caller,
  ): Promise<readonly Distribution[]>;
  countWindows(state: State, caller: Caller): Promise<StateWindows>;
}

export function createAsking(model: OnnxModel, reader: Reader): Asking {
  const countOf = (texts: readonly RowText[], { signal, account }: Caller) =>
    model.tokenize(texts, signal, account).then((rows) => rows.map(({ ids }) => ids.length));
  const countTexts = (texts: readonly string[], caller: Caller) =>
    countOf(
      texts.map((text) => ({ text, pair: null })),
      caller,
    );

  const states = createStateCuts((texts, caller) => countTexts(texts, caller));

  /** Tokens of the texts of each question. */
  async function countQuestions(questions: readonly NormalizedQuestion[], caller: Caller) {
    const texts = questions.map((question) => reader.textsOf(question));
    const tokens = (await countOf(texts.flat(), caller)).values();
    return texts.map((own) => own.map(() => tokens.next().value ?? 0));
  }

  async function countTokens(state: State, questions: readonly NormalizedQuestion[], caller: Caller) {
    const asked = await countQuestions(questions, caller);
    const sizes = asked.map((tokens) => reader.sizeOf(tokens));
    const largest = Math.max(0, ...sizes);
    if (largest > reader.questionTokensMax)
      throw new Fault(
        'context_length_exceeded',
        `A question with its longest options has ${largest} tokens; the local model reads at most ${reader.questionTokensMax}`,
        { param: 'questions' },
      );
    const cut = await states.cut(state, reader.roomFor(largest), caller);
    const read = await countTexts(cut, caller);
    return [...read, ...asked.flat()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Questions that leave as much room for the state are answered together. */
  async function score(state: State, questions: readonly NormalizedQuestion[], caller: Caller) {
    const rooms = (await countQuestions(questions, caller)).map((tokens) =>
      reader.roomFor(reader.sizeOf(tokens)),
    );
    const answers: Distribution[] = [];
    for (const room of new Map(rooms.map((one) => [one.wholeMax, one])).values()) {
      const indices = rooms.flatMap(({ wholeMax }, index) => (wholeMax === room.wholeMax ? [index] : []));
      const cut = await states.cut(state, room, caller);
      const asked = indices.flatMap((index) => questions[index] ?? []);
      const found = await reader.score(cut, asked, caller);
      for (const [at, index] of indices.entries()) answers[index] = found[at] ?? [];
    }
    return answers;
  }

  async function countWindows(state: State, caller: Caller): Promise<StateWindows> {
    const total = states.countOf(state) ?? (await states.cut(state, reader.roomFor(0), caller)).length;
    return { total, read: Math.min(total, reader.windowsReadMax) };
  }

  return { countTokens, score, countWindows };
}
