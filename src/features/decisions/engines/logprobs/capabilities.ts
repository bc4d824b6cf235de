import type { Label } from './labels.ts';
import type { Dialect } from './request.ts';

export type ServerKind = 'openai' | 'vllm' | 'sglang' | 'llama-server' | 'ollama';

/**
 * How to get exact probabilities of labels that the server did not list: a bias towards them (llama-server), their ids
 * in the same request (vLLM), their ids in another request (SGLang).
 */
export type ExactForm = 'logit_bias' | 'logprob_token_ids' | 'token_ids_logprob';

/** Capabilities of one server. Found by one probe, kept until it restarts or behaves differently. */
export interface Capabilities {
  readonly kind: ServerKind;
  /** Where the answer position is read. `sample` reads none and asks the model for numbers. */
  readonly reader: 'chat' | 'completions' | 'ollama' | 'sample';
  /** Most alternatives listed at a position. */
  readonly cap: number;
  readonly labels: readonly Label[];
  readonly exact: ExactForm | null;
  readonly vision: boolean;
  readonly dialect: Dialect;
  /** Ollama's `think`; null where the model refuses the field. */
  readonly think: boolean | null;
  /** Requests that the server handles at once; null when it does not report them. */
  readonly slots: number | null;
}

/** Above this a list is long enough to hold the labels among everything else that a model might say. */
const longList = 100;
/** Other words that compete for a place in a long list. */
const others = 64;

/** Most options that one reading of the answer position can distinguish. */
export function groupSizeOf({ cap, labels, exact }: Capabilities): number {
  if (exact !== null) return labels.length;
  if (cap >= longList) return Math.min(labels.length, cap - others);
  // A fifth of a short list is left to other forms of the labels and to other words.
  return Math.max(2, Math.min(labels.length, Math.floor(cap * 0.8)));
}

/** Number of alternatives to request so that `count` labels are among them. */
export function topFor({ cap }: Capabilities, count: number): number {
  return cap >= longList ? Math.min(cap, count + others) : cap;
}
