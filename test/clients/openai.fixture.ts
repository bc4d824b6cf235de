import OpenAI from 'openai';
import type { DecisionCreateParams } from 'openai/resources/decisions';
import type { TestServer } from '../support/server.ts';
import { decider } from './support.ts';

export type Question = DecisionCreateParams['questions'][number];

export const input = 'I was charged twice for order 4411, please fix this today.';
export const refund: Question = {
  type: 'predicate',
  name: 'refund',
  instructions: 'The customer wants money back.',
};
export const simple: DecisionCreateParams = { model: decider, input, questions: [refund] };

export function connect({ url, key }: TestServer, apiKey = key): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey });
}

export const choicesOf = (names: readonly (string | boolean)[]) => names.map((value) => ({ value }));
