import { decide, type DecisionEngine, type NormalizedQuestion } from '../decisions/feature.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import { runInSlices } from '../../kernel/kit/slices.ts';
import type { AnswerSentence } from './answer-sentences.ts';
import { isOpen, judge, readSentence, type Judgement, type Reading } from './judge.ts';
import { createRarity, readPassage, type Passage, type Rarity, type ReadPassage } from './passages.ts';

/** A sentence of an answer, and what the passages that it cites say to it. */
export interface JudgedSentence extends Judgement {
  readonly text: string;
  readonly citations: readonly number[];
  /** What it was judged against. */
  readonly cited: readonly ReadPassage[];
  /** It stands in a passage as it is. */
  readonly isQuote: boolean;
  /** The decider's probability that the place says it; null where it was not asked, or another answered in its place. */
  readonly decided: number | null;
  /** The place of the passages that comes nearest; null for quotes and where nothing comes near. */
  readonly near: string | null;
}

/** What is judged of one answer. */
export const verifierLimits = {
  sentencesMax: 100,
  /** Of all passages together. */
  charsMax: 120_000,
  /** Sentences of which the decider is asked. */
  decidedMax: 16,
  /** For the decider. */
  timeoutMs: 2_000,
};

/** Judges the sentences of one answer, all at once or as they come. */
export class Verification {
  readonly #engine: DecisionEngine | null;
  readonly #limits: Readonly<typeof verifierLimits>;
  readonly #caller: Caller;
  readonly #read = new Map<string, ReadPassage>();
  readonly sentences: JudgedSentence[] = [];
  #charsLeft: number;
  #askedLeft: number;
  #timeLeftMs: number;

  constructor(engine: DecisionEngine | null, caller: Caller, limits = verifierLimits) {
    this.#engine = engine;
    this.#limits = limits;
    this.#caller = caller;
    this.#charsLeft = limits.charsMax;
    this.#askedLeft = limits.decidedMax;
    this.#timeLeftMs = limits.timeoutMs;
  }

  /** Passages that were cited, each once, in the order of their first citation. */
  get passages(): readonly ReadPassage[] {
    return [...this.#read.values()];
  }

  /**
   * One judgement for each sentence; null for one that cites nothing that is known, and beyond the limits. Rejects with
   * the signal's reason. A decider that fails or is late is done without.
   */
  async judge(
    sentences: readonly AnswerSentence[],
    passagesOf: (id: number) => readonly Passage[],
  ): Promise<readonly (JudgedSentence | null)[]> {
    const readings = await runInSlices(this.#readings(sentences, passagesOf), this.#caller.signal);
    const decided = await this.#ask(readings);
    return sentences.map(({ text, citations }, at) => {
      const reading = readings[at] ?? null;
      if (reading === null) return null;
      const probability = decided.get(reading) ?? null;
      const judged = toJudged({ text, citations }, reading, probability);
      this.sentences.push(judged);
      return judged;
    });
  }

  *#readings(
    sentences: readonly AnswerSentence[],
    passagesOf: (id: number) => readonly Passage[],
  ): Generator<void, readonly (Reading | null)[]> {
    const readings: (Reading | null)[] = [];
    const rarities = new Map<string, Rarity>();
    for (const { text, citations } of sentences) {
      const isLeft = this.sentences.length + readings.length < this.#limits.sentencesMax;
      const cited = isLeft ? yield* this.#readAll(citations.flatMap(passagesOf)) : [];
      const key = citations.join(',');
      const rarity = () => {
        const known = rarities.get(key) ?? createRarity(cited);
        rarities.set(key, known);
        return known;
      };
      readings.push(cited.length === 0 ? null : readSentence(text, cited, rarity));
      yield;
    }
    return readings;
  }

  *#readAll(passages: readonly Passage[]): Generator<void, readonly ReadPassage[]> {
    const read: ReadPassage[] = [];
    for (const passage of passages) {
      const key = `${passage.id} ${passage.text}`;
      let one = this.#read.get(key);
      if (one === undefined) {
        if (this.#charsLeft <= 0) continue;
        const text = passage.text.slice(0, this.#charsLeft);
        this.#charsLeft -= text.length;
        one = yield* readPassage({ ...passage, text });
        this.#read.set(key, one);
      }
      read.push(one);
    }
    return read;
  }

  /** Asks only where the answer may change the judgement, all at once. */
  async #ask(readings: readonly (Reading | null)[]): Promise<ReadonlyMap<Reading, number>> {
    const decided = new Map<Reading, number>();
    const engine = this.#engine;
    const open = readings.filter((reading) => reading !== null && isOpen(reading)).slice(0, this.#askedLeft);
    if (engine === null || open.length === 0 || this.#timeLeftMs <= 0) return decided;
    const { signal, account } = this.#caller;
    const within = AbortSignal.any([signal, AbortSignal.timeout(this.#timeLeftMs)]);
    const from = performance.now();
    await Promise.all(
      open.map(async (reading) => {
        if (reading === null) return;
        const answer = await askDecider(engine, reading, { signal: within, account }).catch(() => null);
        if (answer !== null) decided.set(reading, answer);
      }),
    );
    signal.throwIfAborted();
    this.#askedLeft -= open.length;
    this.#timeLeftMs -= performance.now() - from;
    return decided;
  }
}

export function toJudged(
  { text, citations }: Pick<AnswerSentence, 'text' | 'citations'>,
  reading: Reading,
  decided: number | null,
): JudgedSentence {
  const { cited, isQuote, alignment } = reading;
  return {
    text,
    citations,
    cited,
    isQuote,
    decided,
    near: alignment?.unit?.text ?? null,
    ...judge(reading, decided),
  };
}

/** Null where another engine answered in place of this one: the same question is to have the same answer later. */
export async function askDecider(
  engine: DecisionEngine,
  { plain, alignment }: Reading,
  { signal, account }: Caller,
): Promise<number | null> {
  const context = alignment?.context ?? '';
  const state = { entry: context, text: context, images: [] };
  const limits = { inputTokensMax: Number.MAX_SAFE_INTEGER };
  const decision = await decide(engine, limits, state, [toQuestion(plain)], signal, { account });
  return decision.engine === engine.name ? (decision.distributions[0]?.[0] ?? null) : null;
}

const toQuestion = (statement: string): NormalizedQuestion => ({
  kind: 'noul',
  question: statement,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});
