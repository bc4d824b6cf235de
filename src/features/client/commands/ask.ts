import { ApiError } from '../api.ts';
import { ask, type Answer } from '../ask.ts';
import { readNames } from '../names.ts';
import { clientCommand, clientUsage, printReply, readWordsOrInput } from './client-command.ts';
import { createPaint, printSources, toLine, toLines } from './client-paint.ts';
import { createPlainAnswer } from './plain-answer.ts';
import { texts } from '../../../kernel/commands/command-line.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor ask QUESTION: an answer from searched pages, with its sources

  nestor ask "How tall is the Eiffel Tower?"
  nestor ask "What changed in Node 26?" --recency month --domain nodejs.org
  nestor ask "Explain group commit" --no-search
  cat question.txt | nestor ask --json

The answer appears while it is written; markers such as [1] point to the sources below it. Without QUESTION, standard
input is read.

  --model NAME          a chat model (default: the server's own)
  --domain HOST         only this site; =-HOST leaves one out; may be given several times
  --recency TIME        only pages of the last hour, day, week, month or year
  --no-search           answer without searching
${clientUsage}
See docs/guide/chat.md.`;

export const filterOptions = {
  ...texts('model', 'recency'),
  domain: { type: 'string', multiple: true },
} as const;

const options = { ...filterOptions, 'no-search': { type: 'boolean', default: false } } as const;
const recencies = ['hour', 'day', 'week', 'month', 'year'];

/** Throws UsageError for a word that the option does not know. */
export function checkOneOf(option: string, given: string | undefined, known: readonly string[]): void {
  if (given === undefined || known.includes(given)) return;
  throw new UsageError(`${option} takes one of ${known.join(', ')}.`);
}

interface Filters {
  readonly domain?: readonly string[] | undefined;
  readonly recency?: string | undefined;
}

/** Filters as on the wire. Throws UsageError. */
export function toFilters({ domain, recency }: Filters) {
  checkOneOf('--recency', recency, recencies);
  return {
    ...(domain === undefined ? {} : { search_domain_filter: domain }),
    ...(recency === undefined ? {} : { search_recency_filter: recency }),
  };
}

export const runAsk = clientCommand({
  name: 'ask',
  usage,
  options,
  plan({ values, words }, context) {
    const fields = { ...toFilters(values), ...(values['no-search'] ? { disable_search: true } : {}) };
    return async (client) => {
      const question = await readWordsOrInput(words, 'QUESTION', context);
      const model = values.model ?? (await readNames(client, context.signal)).chat;
      const events = ask(client, { question, model, fields }, context.signal);
      const answer = await print(events, values.json, context);
      if (values.json) printReply(context.out, answer.reply);
      else printSources(answer.sources, context);
    };
  },
});

/** Writes the text as it comes. Resolves to the whole answer. */
async function print(
  events: ReturnType<typeof ask>,
  isJson: boolean,
  { out, err, isPlain }: CommandContext,
): Promise<Answer> {
  const paint = createPaint(err, isPlain);
  let answer: Answer | null = null;
  let hasText = false;
  // A file or another program gets the answer as it was written.
  const plain = out.isTTY === true ? createPlainAnswer() : null;
  for await (const event of events) {
    if (event.type === 'answer') ({ answer } = event);
    // Steps are for a person who watches; a log or a pipe wants the answer.
    else if (event.type === 'step' && err.isTTY === true)
      err.write(`${paint.faint(toLine(event.thought))}\n`);
    else if (event.type === 'text' && !isJson) {
      const text = toLines(event.text);
      out.write(plain?.write(text) ?? text);
      hasText = true;
    }
  }
  if (hasText) out.write(`${plain?.end() ?? ''}\n`);
  if (answer === null) throw new ApiError('The answer broke off before its end.');
  return answer;
}
