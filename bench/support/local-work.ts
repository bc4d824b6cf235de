import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { noulOf } from '../../test/support/gguf-questions.ts';

/** Tokens of a text in the model that is measured. */
export type CountTokens = (text: string) => Promise<number>;

export interface Measured {
  readonly seconds: number;
  /** Of the whole process: what is left of the time when others take the cores away. */
  readonly cpuSeconds: number;
  readonly tokens: number;
}

/** Words until the text has so many tokens; `start` tells it from others. */
export async function textOf(tokensOf: CountTokens, tokens: number, start: string): Promise<string> {
  const words = 'the customer is asking for a refund and a delivery of the material to the dog'.split(' ');
  let text = start;
  for (let index = 0; (await tokensOf(text)) < tokens; index++) text += ` ${words[index % words.length]}`;
  return text;
}

/** Questions of so many tokens that begin with different words; `name` tells them from other questions. */
export async function questionsOf(
  tokensOf: CountTokens,
  count: number,
  tokens: number,
  name: string,
): Promise<readonly NormalizedQuestion[]> {
  const questions: NormalizedQuestion[] = [];
  for (let index = 0; index < count; index++)
    questions.push(noulOf(await textOf(tokensOf, tokens, `${index}${name}`)));
  return questions;
}

/** `elsewhere` reads the CPU time of another process that does the work. Unit: seconds. */
export async function timed(
  work: () => Promise<number>,
  elsewhere: () => Promise<number> = () => Promise.resolve(0),
): Promise<Measured> {
  const [started, before, outside] = [performance.now(), process.cpuUsage(), await elsewhere()];
  const tokens = await work();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, cpuSeconds: (user + system) / 1e6 + (await elsewhere()) - outside, tokens };
}
