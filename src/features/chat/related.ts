import type { JsonObject } from '../../kernel/kit/json.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { readTexts } from './structured-generator.ts';
import { lastQuestion } from '../agent/feature.ts';
import { renderConversation } from './conversation.ts';
import type { ChatSource } from './events.ts';
import { relatedPrompt } from './prompts.ts';
import type { ChatWork } from './question.ts';

const countMin = 3;
const countMax = 5;
const charsMax = 200;
const topicCharsMax = 80;

const schema: JsonObject = {
  type: 'object',
  properties: {
    questions: { type: 'array', items: { type: 'string' }, minItems: countMin, maxItems: countMax },
  },
  required: ['questions'],
  additionalProperties: false,
};

/** Writes three to five further questions. Without a model they only point at the sources. */
export async function relatedTo(
  { question: { turns }, generator }: ChatWork,
  sources: readonly ChatSource[],
): Promise<readonly string[]> {
  const answer = generator.generates
    ? await generator.ask({ system: relatedPrompt, text: renderConversation(turns), schema, tokensMax: 400 })
    : null;
  const written = readTexts(answer?.['questions'], countMax, charsMax);
  if (written.length >= countMin) return written;
  return [...new Set([...written, ...fromSources(sources), ...general(lastQuestion(turns))])].slice(
    0,
    Math.max(countMin, written.length),
  );
}

function fromSources(sources: readonly ChatSource[]): readonly string[] {
  const titles = sources.flatMap(({ title }) => (title.trim() === '' ? [] : [title.trim()]));
  return [...new Set(titles)]
    .slice(0, countMin)
    .map((title) => `What else does “${beginningOf(title, charsMax)}” say?`);
}

function general(question: string): readonly string[] {
  const line = question.replaceAll(/\s+/g, ' ').replace(/(?<![?!.\s])[?!.\s]+$/, '');
  const topic = beginningOf(line, topicCharsMax);
  return [
    `Where is more to be found on: ${topic}?`,
    `What should be known before asking: ${topic}?`,
    `What has changed lately about: ${topic}?`,
  ];
}
