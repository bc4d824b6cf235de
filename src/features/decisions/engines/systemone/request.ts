import type { State } from '../../state.ts';
import type { NormalizedQuestion } from '../../normalized-question.ts';

/** Where an upstream takes System One: its address as configured may end before, at or after the version. */
export function endpointOf(address: string): string {
  const url = new URL(address);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  if (path.endsWith('/systemone')) url.pathname = path;
  else url.pathname = `${path}${path.endsWith('/v1') ? '' : '/v1'}/systemone`;
  return url.href;
}

/** How one question is asked and how its answer is read back. */
export type Asked =
  | { readonly kind: 'noul'; readonly yes: number }
  /** `keys[i]` is the name on the wire of the question's option i. */
  | { readonly kind: 'choice' | 'score'; readonly keys: readonly string[] };

export interface Request {
  readonly asked: readonly Asked[];
  /** The body for one model, as JSON text. */
  toJson(model: string): string;
}

/** Name of the question at an index. Upstreams never show names of questions to their models. */
export function questionName(index: number): string {
  return `q${index}`;
}

/**
 * A request with every question as one System One question. The state goes on as the caller wrote it, images
 * included. JSON is put together as text, because an object would move options named "10" to the front.
 */
export function toRequest(state: State, questions: readonly NormalizedQuestion[]): Request {
  const prepared = questions.map(toQuestion);
  const fields = prepared.map(({ json }, index) => `${JSON.stringify(questionName(index))}:${json}`);
  const rest = `"state":${JSON.stringify(state.entry)},"questions":{${fields.join(',')}}}`;
  return {
    asked: prepared.map(({ asked }) => asked),
    toJson: (model) => `{"model":${JSON.stringify(model)},${rest}`,
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
      // Levels are told by their place, so a question in another order is put back into the rising one.
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
 * Names that can be told apart on the wire. They stay as they are unless they are blank or stand there twice
 * (the boolean `true` and the text "true" are different choices); those get their place behind them.
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
