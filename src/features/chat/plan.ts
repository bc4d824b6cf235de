import type { JsonObject } from '../../kernel/kit/json.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { readTexts } from './structured-generator.ts';
import { lastQuestion, queryCharsMax } from '../agent/feature.ts';
import { isPlain, renderConversation } from './conversation.ts';
import { nextPrompt, planPrompt } from './prompts.ts';
import type { ChatWork } from './question.ts';
import type { SearchDepth } from './profiles.ts';

/** Empty queries: there is nothing (more) to search for. */
export interface Plan {
  readonly thought: string;
  readonly queries: readonly string[];
}

const thoughtCharsMax = 500;
const tokensMax = 400;

const schema: JsonObject = {
  type: 'object',
  properties: {
    thought: { type: 'string' },
    search: { type: 'boolean' },
    queries: { type: 'array', items: { type: 'string' } },
  },
  required: ['thought', 'search', 'queries'],
  additionalProperties: false,
};

/**
 * Plans the first search. A model plans where it writes and the question needs it; else, and when its plan is of no use,
 * the last words of the user are the query.
 */
export async function planFirst(
  { question: { turns, search, profile }, generator, today }: ChatWork,
  { roundsMax, queriesPerRoundMax: queriesMax }: SearchDepth,
): Promise<Plan> {
  const mayDecline = search?.isClassified === true;
  const own = ownPlan(lastQuestion(turns));
  const needsPlan = mayDecline || profile.isResearch || roundsMax > 1 || !isPlain(turns);
  if (!generator.generates || !needsPlan) return own;
  const answer = await generator.ask({
    system: planPrompt({ today, queriesMax, mayDecline }),
    text: renderConversation(turns),
    schema,
    tokensMax,
  });
  if (answer === null) return own;
  if (mayDecline && answer['search'] === false)
    return { thought: thoughtOf(answer, 'No search is needed.'), queries: [] };
  const queries = readTexts(answer['queries'], queriesMax, queryCharsMax);
  return queries.length === 0 ? own : { thought: thoughtOf(answer, own.thought), queries };
}

/** Plans the search after a round; no queries when enough is known, or when the model gives no answer. */
export async function planNext(
  { question: { turns, profile }, generator, today }: ChatWork,
  { queriesPerRoundMax: queriesMax }: SearchDepth,
  asked: readonly string[],
  known: string,
): Promise<Plan> {
  const answer = await generator.ask({
    system: nextPrompt({ today, queriesMax, isReport: profile.isResearch }),
    text: `${renderConversation(turns)}\n\nSearched for so far: ${asked.join('; ')}\n\n${known}`,
    schema,
    tokensMax,
  });
  if (answer === null || answer['search'] === false) return { thought: '', queries: [] };
  const queries = readTexts(answer['queries'], queriesMax, queryCharsMax).filter(
    (query) => !asked.some((one) => one.toLowerCase() === query.toLowerCase()),
  );
  return { thought: thoughtOf(answer, 'Something is still missing.'), queries };
}

function ownPlan(question: string): Plan {
  const query = beginningOf(question, queryCharsMax).trim();
  return { thought: 'Search for the question as it was asked.', queries: query === '' ? [] : [query] };
}

function thoughtOf(answer: JsonObject, otherwise: string): string {
  const { thought } = answer;
  return typeof thought === 'string' && thought.trim() !== ''
    ? thought.trim().slice(0, thoughtCharsMax)
    : otherwise;
}
