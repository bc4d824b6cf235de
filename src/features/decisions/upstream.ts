import { Fault } from '../../kernel/faults.ts';
import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import { toUpstreamFault } from '../../kernel/upstream-fault.ts';
import type { NormalizedQuestion, State } from './engine.ts';
import type { Fingerprint } from './fingerprint.ts';

/** The public form of a failed call. An upstream that refuses the request has a message of its own. */
export function toFault(failure: CallFailure): Fault {
  const { kind, status, away, cause } = failure;
  if (kind !== 'unusable' || status === null || status >= 500) return toUpstreamFault('decision', failure);
  return new Fault('bad_gateway', 'The decision backend refused the request.', { cause, away });
}

/** All that is known of models behind servers: their names. Where a server stands changes no answer. */
export function modelsOf(upstreams: readonly { readonly model: string }[]): Fingerprint {
  return { models: [...new Set(upstreams.map(({ model }) => model))].join(', ') };
}

/** Tokens by words, for engines whose tokenizer is elsewhere: the state once and each question once. */
export function estimateTokens(state: State, questions: readonly NormalizedQuestion[]): number {
  const texts = questions.flatMap(({ question, options, examples = [] }) => [
    question,
    ...examples.map(({ text }) => text),
    ...options.flatMap(({ name, description }) => [name, description]),
  ]);
  return [state.text, ...texts].reduce((sum, text) => sum + countTokens(text), 0);
}
