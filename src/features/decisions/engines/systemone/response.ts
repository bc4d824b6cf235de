import { isJsonObject, type Json, type JsonObject, ownValue } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../../../kernel/kit/upstreams.ts';
import type { Distribution } from '../../engine.ts';
import { unrounded } from './rounding.ts';

/** Names on the wire with which the answer to one question is read. */
export type Asked =
  | { readonly kind: 'noul'; readonly yes: number }
  /** `keys[i]` is the name on the wire of the question's option i. */
  | { readonly kind: 'choice' | 'score'; readonly keys: readonly string[] };

/** Name of the question at an index. Upstreams never show names of questions to their models. */
export function questionName(index: number): string {
  return `q${index}`;
}

/**
 * Reads the distributions of a System One response, in the order of the questions. Nothing is trusted: there has to be
 * exactly one answer of the right type for each question, with exactly its options, and numbers in [0,1] to which some
 * distribution rounds. Throws ResponseError.
 */
export function fromResponse(body: Json, asked: readonly Asked[]): readonly Distribution[] {
  const answers = isJsonObject(body) ? ownValue(body, 'answers') : undefined;
  if (!isJsonObject(answers)) throw new ResponseError('no answers');
  if (Object.keys(answers).length !== asked.length) throw new ResponseError('other questions than asked');
  return asked.map((question, index) => {
    const answer = ownValue(answers, questionName(index));
    if (!isJsonObject(answer)) throw new ResponseError(`question ${index} has no answer`);
    if (ownValue(answer, 'type') !== question.kind)
      throw new ResponseError(`question ${index}: another type`);
    return question.kind === 'noul'
      ? readNoul(answer, question.yes, index)
      : readOptions(answer, question.keys, index);
  });
}

function readNoul(answer: JsonObject, yes: number, index: number): Distribution {
  const p = probability(ownValue(answer, 'noul'), index);
  return yes === 0 ? [p, 1 - p] : [1 - p, p];
}

function readOptions(answer: JsonObject, keys: readonly string[], index: number): Distribution {
  const probabilities = ownValue(answer, 'probabilities');
  if (!isJsonObject(probabilities)) throw new ResponseError(`question ${index}: no probabilities`);
  if (Object.keys(probabilities).length !== keys.length) {
    throw new ResponseError(`question ${index}: other options than asked`);
  }
  const values = keys.map((key) => probability(ownValue(probabilities, key), index));
  const distribution = unrounded(values);
  if (distribution === null) throw new ResponseError(`question ${index}: no distribution rounds to these`);
  return distribution;
}

function probability(value: Json | undefined, index: number): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    throw new ResponseError(`question ${index}: no probability where one belongs`);
  }
  return value;
}
