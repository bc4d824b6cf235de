import { createHash } from 'node:crypto';
import type {
  DecisionEngine,
  State,
  Distribution,
  NormalizedQuestion,
} from '../../src/features/decisions/engine.ts';

export interface ScriptedCall {
  readonly state: State;
  readonly questions: readonly NormalizedQuestion[];
}

export interface ScriptedEngine extends DecisionEngine {
  /** What `score` was asked, in order. */
  readonly calls: readonly ScriptedCall[];
}

export interface Script {
  readonly vision?: boolean;
  readonly score?: DecisionEngine['score'];
  readonly countTokens?: DecisionEngine['countTokens'];
  readonly health?: DecisionEngine['health'];
}

/** An engine without a model: probabilities come from hashes, so that equal input has equal answers. */
export function scriptedEngine(script: Script = {}): ScriptedEngine {
  const calls: ScriptedCall[] = [];
  return {
    name: 'scripted',
    vision: script.vision ?? true,
    calls,
    health: script.health ?? (() => 'ok'),
    countTokens: script.countTokens ?? ((state, questions) => Promise.resolve(countWords(state, questions))),
    score(state, questions, signal, account) {
      calls.push({ state, questions });
      if (script.score) return script.score(state, questions, signal, account);
      return Promise.resolve(questions.map((question) => hashedDistribution(state, question)));
    },
    close: () => Promise.resolve(),
  };
}

/** State once, each question once, by words. */
export function countWords(state: State, questions: readonly NormalizedQuestion[]): number {
  const texts = [state.text, ...questions.flatMap(questionTexts)];
  return texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
}

function questionTexts(question: NormalizedQuestion): string[] {
  return [question.question, ...question.options.flatMap(({ name, description }) => [name, description])];
}

/** Depends on state, question and option, never on the order of options or on other questions. */
export function hashedDistribution(state: State, question: NormalizedQuestion): Distribution {
  const weights = question.options.map(({ name, description }) => {
    const seed = JSON.stringify([
      state.text,
      state.images.length,
      question.kind,
      question.question,
      name,
      description,
    ]);
    return 1 + createHash('sha256').update(seed).digest().readUInt32BE(0);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Every option alike. */
export const evenScore: DecisionEngine['score'] = (_state, questions) =>
  Promise.resolve(questions.map(({ options }) => options.map(() => 1 / options.length)));

/** Settles only when the signal aborts; tells when that was. */
export function hangingScore(
  onAbort: (reason: unknown) => void = () => {},
  onBegin: () => void = () => {},
): DecisionEngine['score'] {
  return (_state, _views, signal) =>
    new Promise((_resolve, reject) => {
      onBegin();
      const stop = () => {
        onAbort(signal.reason);
        reject(signal.reason as Error);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
}
