import { chunk, done, usageChunk, type WireStep } from '../support/upstream-chat.ts';

/** An answer as some server writes it, and what a client is to have read. */
export interface HostileStream {
  readonly about: string;
  readonly steps: readonly WireStep[];
  /** In the order in which it came: texts as they are, calls as name and arguments. Null for a fault. */
  readonly said: readonly (string | readonly [name: string, args: string])[] | null;
  readonly reason?: 'end' | 'length' | 'tool-calls' | 'content-filter';
  readonly usage?: readonly [input: number, output: number];
}

export const text = (content: string, finish: string | null = null) => chunk({ content }, finish);
export const piece = (call: object, finish: string | null = null) => chunk({ tool_calls: [call] }, finish);
export const fn = (args: string | undefined, name?: string) => ({
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
export const end = (reason: string) => [chunk({}, reason), usageChunk(9, 3), done];
export const called = end('tool_calls');
export const stopped = end('stop');

export const whole = '{"city":"Bern"}';
export const other = '{"city":"Biel"}';
export const bern = ['weather', whole] as const;
export const biel = ['weather', other] as const;
