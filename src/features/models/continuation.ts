import type { Model, ModelEvent, ModelRequest } from './model.ts';

type Batch = readonly ModelEvent[];

const askToContinue =
  'Continue your last message from exactly where it ends. Write only what comes next and repeat nothing of it.';

/** Continues an assistant turn at the end: a model without prefill is asked to, and what it repeats is left out. */
export function streamContinued(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<Batch> {
  const asked = toContinued(model, request);
  const events = model.stream(asked, signal);
  return asked === request ? events : withoutRepeat(events, lastTextOf(request));
}

/**
 * A conversation of nothing but instructions asks by the last one: templates of many models refuse a conversation in which
 * no user speaks, or drop what its system says, and other wires have no word for it.
 */
export function withQuestion<Said extends Pick<ModelRequest, 'system' | 'turns'>>(said: Said): Said {
  const { system, turns } = said;
  const question = system.at(-1);
  if (turns.length > 0 || question === undefined) return said;
  return {
    ...said,
    system: system.slice(0, -1),
    turns: [{ role: 'user', parts: [{ type: 'text', text: question }] }],
  };
}

/** The request that `streamContinued` sends: the same where nothing has to be asked. */
export function toContinued({ capabilities }: Model, said: ModelRequest): ModelRequest {
  const request = withQuestion(said);
  const isPrefill = request.turns.at(-1)?.role === 'assistant';
  if (!isPrefill || capabilities.prefill || !capabilities.generates) return request;
  return {
    ...request,
    turns: [...request.turns, { role: 'user', parts: [{ type: 'text', text: askToContinue }] }],
  };
}

function lastTextOf({ turns }: ModelRequest): string {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return '';
  return last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

async function* withoutRepeat(events: AsyncIterable<Batch>, text: string): AsyncGenerator<Batch> {
  const filter = new RepeatFilter(text.trim());
  for await (const batch of events) {
    const kept = filter.isOver ? batch : batch.flatMap((event) => filter.next(event));
    if (kept.length > 0) yield kept;
  }
}

/** Holds text back as long as it may be a repeat of the one before it. */
class RepeatFilter {
  readonly #text: string;
  #matched = 0;
  #held = '';
  isOver: boolean;

  constructor(text: string) {
    this.#text = text;
    this.isOver = text === '';
  }

  next(event: ModelEvent): readonly ModelEvent[] {
    const isBeside = event.type === 'reasoning-delta' || event.type === 'thought';
    if (this.isOver || event.type === 'usage' || isBeside) return [event];
    if (event.type === 'text-delta') return toDeltas(this.#push(event.text));
    this.isOver = true;
    return [...toDeltas(this.#held), event];
  }

  #push(text: string): string {
    this.#held += text;
    const piece = this.#matched === 0 ? text.trimStart() : text;
    const wanted = this.#text.slice(this.#matched, this.#matched + piece.length);
    if (!piece.startsWith(wanted)) {
      this.isOver = true;
      return this.#held;
    }
    this.#matched += wanted.length;
    if (this.#matched < this.#text.length) return '';
    this.isOver = true;
    return piece.slice(wanted.length);
  }
}

function toDeltas(text: string): readonly ModelEvent[] {
  return text === '' ? [] : [{ type: 'text-delta', text }];
}
