import { choiceConfidence, choiceOf, scoreConfidence, scoreOf } from '../../answer.ts';
import type { NamedDecision } from '../../deciders/ask.ts';
import { fromVerdict, nameOf } from '../deciders.ts';
import type { Distribution, Entry, NormalizedQuestion } from '../../engine.ts';
import { withExamplesInSteps } from '../../question-examples.ts';
import { Fault } from '../../../../kernel/faults.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type {
  Content,
  Item,
  OpenAiAnswer,
  OpenAiDecisionRequest,
  OpenAiDecisionResponse,
  OpenAiQuestion,
  Part,
} from './schema.ts';

/** Items become messages one by one, so that a path in an error is the caller's own. */
export function toEntry(input: OpenAiDecisionRequest['input']): Entry {
  if (typeof input === 'string') return input;
  checkCalls(input);
  return input.map(toMessage);
}

/** Every output answers a call that came before it. */
function checkCalls(items: readonly Item[]): void {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (!('call_id' in item)) continue;
    if (!('output' in item)) {
      open.add(item.call_id);
    } else if (!open.has(item.call_id)) {
      const message = `no function call found for call_id ${JSON.stringify(item.call_id)}`;
      throw new Fault('invalid_question', message, { param: `input.${index}.call_id` });
    }
  }
}

function toMessage(item: Item): { readonly role: string; readonly content: string | readonly Json[] } {
  if ('role' in item) return { role: item.role, content: toContent(item.content) };
  if ('output' in item) return { role: 'tool', content: toContent(item.output) };
  return { role: 'assistant', content: `${item.name}(${item.arguments ?? item.input ?? ''})` };
}

function toContent(content: Content): string | readonly Json[] {
  return typeof content === 'string' ? content : content.map(toPart);
}

function toPart(part: Part): Json {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return { type: 'image_url', image_url: part.image_url };
    case 'input_json':
      // As text: a caller's data may look like an image part without being one.
      return { type: 'text', text: JSON.stringify(part.data) };
  }
}

/** Throws Fault `invalid_image`, because a question is text, and `invalid_question`. */
export function* toQuestionsInSteps(
  questions: readonly OpenAiQuestion[],
): Generator<void, NormalizedQuestion[]> {
  const read: NormalizedQuestion[] = [];
  for (const [index, question] of questions.entries()) {
    const param = `questions.${index}`;
    const text = toText(question.instructions, `${param}.instructions`);
    const normalized = { ...toKind(question), question: text };
    const nameOf = (answer: boolean | string | number) => toName(question, answer);
    read.push(yield* withExamplesInSteps(normalized, question.examples, param, nameOf));
    yield;
  }
  return read;
}

function toKind(question: OpenAiQuestion): Pick<NormalizedQuestion, 'kind' | 'options'> {
  switch (question.type) {
    case 'predicate':
      return { kind: 'noul', options: ['true', 'false'].map((name) => ({ name, description: '' })) };
    case 'choice':
      return {
        kind: 'choice',
        options: question.choices.map(({ value, description = '' }) => ({
          name: String(value),
          description,
        })),
      };
    case 'score':
      return {
        kind: 'score',
        options: question.levels.map(({ label, description }, level) => ({
          name: String(level),
          description: description === undefined ? label : `${label}: ${description}`,
        })),
      };
  }
}

/** The option that the answer of an example names; a level by its index or its label. */
function toName(question: OpenAiQuestion, answer: boolean | string | number): string | undefined {
  switch (question.type) {
    case 'predicate':
      return typeof answer === 'boolean' ? String(answer) : undefined;
    case 'choice':
      return question.choices.some(({ value }) => value === answer) ? String(answer) : undefined;
    case 'score': {
      const level =
        typeof answer === 'number' ? answer : question.levels.findIndex((one) => one.label === answer);
      return String(level);
    }
  }
}

function toText(content: Content, param: string): string {
  if (typeof content === 'string') return content.trim();
  return content
    .map((part, index) => {
      if (part.type === 'input_image') {
        const where = `${param}.${index}`;
        throw new Fault('invalid_image', 'image parts are only allowed in a state array', { param: where });
      }
      if (part.type === 'refusal') return part.refusal;
      return part.type === 'input_json' ? JSON.stringify(part.data) : part.text;
    })
    .join('\n');
}

export function fromDecision(
  { model, questions }: OpenAiDecisionRequest,
  { distributions, verdicts, inputTokens }: NamedDecision,
): OpenAiDecisionResponse {
  const answers = questions.map((question, index) => {
    const distribution = distributions[index];
    if (distribution === undefined) throw new Error(`question ${index} has no answer`);
    return { ...toAnswer(question, distribution), ...fromVerdict(verdicts?.[index]) };
  });
  return {
    model: nameOf(model),
    answers,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: answers.length,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + answers.length,
    },
  };
}

/** `true` and `"true"` are different choices, and which of the two is first must not depend on their order. */
function tieName({ value }: { readonly value: string | boolean }): string {
  return typeof value === 'string' ? value : `${value}\0`;
}

function toAnswer(question: OpenAiQuestion, distribution: Distribution): OpenAiAnswer {
  const name = question.name ?? null;
  const at = (index: number) => distribution[index] ?? 0;
  switch (question.type) {
    case 'predicate':
      return { type: 'predicate', name, probability: at(0) };
    case 'choice':
      return {
        type: 'choice',
        name,
        choice: question.choices[choiceOf(question.choices.map(tieName), distribution)]?.value ?? '',
        confidence: choiceConfidence(distribution),
        probabilities: question.choices.map(({ value }, index) => ({ value, probability: at(index) })),
      };
    case 'score':
      return {
        type: 'score',
        name,
        score: scoreOf(distribution),
        confidence: scoreConfidence(distribution),
        probabilities: question.levels.map(({ label }, value) => ({ label, value, probability: at(value) })),
      };
  }
}
