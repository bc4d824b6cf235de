import { createInterface } from 'node:readline';
import type { CommandContext } from './command.ts';
import { UsageError } from './exit-codes.ts';

export interface Question<Answer> {
  readonly title: string;
  /** What may be typed as a number, the usual first. */
  readonly choices: readonly { readonly given: string; readonly text: string }[];
  /** What else may be typed; null where only the choices may. */
  readonly other: string | null;
  /** Throws UsageError for what is no answer. */
  readonly parse: (given: string) => Answer;
}

export interface Asker {
  /** Asks until there is an answer; an empty line takes the first choice. Null where the person has left. */
  ask<Answer>(question: Question<Answer>): Promise<Answer | null>;
  close(): void;
}

/** Asks a person one question after the other, on standard error. */
export function openAsker({ stdin, err, signal }: Pick<CommandContext, 'stdin' | 'err' | 'signal'>): Asker {
  const input = createInterface({ input: stdin, signal });
  const lines = input[Symbol.asyncIterator]();
  return {
    async ask({ title, choices, other, parse }) {
      const listed = choices.map(({ text }, at) => `  ${at + 1}  ${text}\n`).join('');
      err.write(`\n${title}\n${listed}`);
      for (;;) {
        err.write(`${other === null ? 'A number' : `A number, or ${other}`} [1]: `);
        const { done, value } = await lines.next();
        if (done === true) return null;
        const typed = value.trim();
        try {
          return parse(choices[typed === '' ? 0 : Number(typed) - 1]?.given ?? typed);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          err.write(`${error.message}\n`);
        }
      }
    },
    close: () => input.close(),
  };
}
