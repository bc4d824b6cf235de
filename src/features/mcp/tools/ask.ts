import { Type } from 'typebox';
import { ApiError, ask, type Answer } from '../../client/feature.ts';
import { sourceFilters, Sources, toAnswered } from '../sources.ts';
import { defineTool } from '../tool.ts';
import { Strict } from '../../../kernel/kit/schema.ts';

/** `ask`: an answer grounded in pages, with numbered sources. */
export const askTool = defineTool({
  name: 'ask',
  title: 'Ask',
  description:
    'Answers a question from searched pages and names its sources; markers such as [1] in the answer point to them. Takes seconds. Use `research` for a thorough report.',
  inputSchema: Strict({
    question: Type.String({
      minLength: 1,
      description: 'The question, with everything needed to understand it.',
    }),
    model: Type.Optional(Type.String({ description: "A chat model; the server's own when left out." })),
    ...sourceFilters,
    disable_search: Type.Optional(Type.Boolean({ description: 'Answer without searching.' })),
  }),
  outputSchema: Type.Object({ answer: Type.String(), sources: Sources }),
  annotations: { idempotentHint: false, openWorldHint: true },
  async run({ question, model, ...fields }, { api, names, progress, signal }) {
    const chosen = model ?? (await names(signal)).chat;
    let answer: Answer | null = null;
    for await (const event of ask(api, { question, model: chosen, fields }, signal)) {
      if (event.type === 'step') progress(event.thought);
      else if (event.type === 'sources') progress(`sources found: ${event.sources.length}`);
      else if (event.type === 'answer') ({ answer } = event);
    }
    if (answer === null) throw new ApiError('The answer broke off before its end.');
    const { text, sources } = toAnswered(answer.text, answer.sources);
    return { text, data: { answer: answer.text, sources } };
  },
});
