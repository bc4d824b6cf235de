import { withoutEndSlashes } from '../../../../kernel/kit/text.ts';
import type { UpstreamRequest } from '../../../../kernel/kit/upstreams.ts';
import type { State, Distribution, NormalizedQuestion } from '../../engine.ts';
import { fromResponse, questionName, type Asked } from './response.ts';

/** Address of System One at an upstream. The configured address may end before, at or after the version. */
export function endpointOf(address: string): string {
  const url = new URL(address);
  const path = withoutEndSlashes(url.pathname);
  if (path.endsWith('/systemone')) url.pathname = path;
  else url.pathname = `${path}${path.endsWith('/v1') ? '' : '/v1'}/systemone`;
  return url.href;
}

/**
 * A request with every question as one System One question. The state goes on as the caller wrote it, images
 * included. JSON is put together as text, because an object would move options named "10" to the front.
 */
export function toRequest(
  state: State,
  questions: readonly NormalizedQuestion[],
): UpstreamRequest<readonly Distribution[]> {
  const prepared = questions.map(toQuestion);
  const fields = prepared.map(({ json }, index) => `${JSON.stringify(questionName(index))}:${json}`);
  const rest = `"state":${JSON.stringify(state.entry)},"questions":{${fields.join(',')}}}`;
  const asked = prepared.map(({ asked }) => asked);
  return {
    toJson: (model) => `{"model":${JSON.stringify(model)},${rest}`,
    read: (body) => fromResponse(body, asked),
  };
}

function toQuestion(question: NormalizedQuestion): { json: string; asked: Asked } {
  const instructions = question.question === '' ? 'null' : JSON.stringify(question.question);
  const json = (criteria: string) =>
    `{"type":"${question.kind}","instructions":${instructions},"criteria":${criteria}}`;
  const descriptions = question.options.map(({ description }) =>
    description === '' ? 'null' : JSON.stringify(description),
  );
  switch (question.kind) {
    case 'noul': {
      const yes = question.options[0]?.name === 'false' ? 1 : 0;
      const described = descriptions.some((text) => text !== 'null');
      const criteria = `{"true":${descriptions[yes]},"false":${descriptions[1 - yes]}}`;
      return { json: json(described ? criteria : 'null'), asked: { kind: 'noul', yes } };
    }
    case 'choice': {
      const keys = distinctNames(question.options.map(({ name }) => name));
      const criteria = keys.map((key, index) => `${JSON.stringify(key)}:${descriptions[index]}`);
      return { json: json(`{${criteria.join(',')}}`), asked: { kind: 'choice', keys } };
    }
    case 'score': {
      // Levels are identified by their index, so those of a reversed question are put back into rising order.
      const order = question.options
        .map((_, index) => index)
        .sort((a, b) => levelOf(question, a) - levelOf(question, b));
      const keys = question.options.map((_, index) => String(order.indexOf(index)));
      const criteria = order.map((index) => descriptions[index]);
      return { json: json(`[${criteria.join(',')}]`), asked: { kind: 'score', keys } };
    }
  }
}

function levelOf({ options }: NormalizedQuestion, index: number): number {
  return Number(options[index]?.name ?? index);
}

/**
 * Distinct names for the wire. A name that is blank or occurs twice (the boolean `true` and the text "true" are
 * different choices) gets its position appended; the others stay as they are.
 */
function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name, index) => {
    let key = name.trim() === '' ? `option ${index + 1}` : name;
    if (key !== name && taken.has(key)) key = `${key} (${index + 1})`;
    for (let more = index + 1; used.has(key); more++) key = `${name} (${more})`;
    used.add(key);
    return key;
  });
}

const probeState: State = { entry: 'test', text: 'test', images: [] };
const probeQuestions: readonly NormalizedQuestion[] = [
  {
    kind: 'noul',
    question: 'Is this a test?',
    options: ['true', 'false'].map((name) => ({ name, description: '' })),
  },
];

/** The smallest real question, so that a server that answers it answers others. */
export const probe = toRequest(probeState, probeQuestions);
