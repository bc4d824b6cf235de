import { Fault } from '../../kernel/faults.ts';
import type { ModelEvent, ModelRequest, ModelUsage, Turn } from './model.ts';
import type { OpenedStream } from './registry.ts';
import { plainUsage } from './sound-usage.ts';

/** The answer as it may be sent, or in a few words what is wrong with it. */
export type Verdict =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

export interface OutputCheck {
  /** For the prompt of a model that cannot enforce the format. */
  readonly instruction: string;
  readonly check: (text: string) => Verdict | Promise<Verdict>;
}

/** A check that runs in the thread that calls it. */
export interface LocalCheck extends OutputCheck {
  readonly check: (text: string) => Verdict;
}

interface StructuredQuestion {
  readonly request: ModelRequest;
  readonly check: OutputCheck;
  /** Whether the model that is asked first enforces `request.format` while it writes. */
  readonly enforced: boolean;
  readonly ask: (request: ModelRequest) => Promise<OpenedStream>;
  readonly onAttempt?: (attempt: StructuredAttempt) => void;
}

/** One that was read, valid or not: who answered, and the usage of it and of those before. */
export interface StructuredAttempt {
  readonly name: string;
  readonly usage: ModelUsage;
}

interface StructuredAnswer {
  /** The stream of the last attempt; its events have been read. */
  readonly opened: OpenedStream;
  /** As a stream would have emitted them: reasoning, text, calls, then usage of all attempts together and the finish. */
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly attempts: number;
}

const attemptsMax = 3;
/** Characters of a wrong answer that are sent back for correction. */
const quotedCharsMax = 20_000;

/**
 * Asks until the answer is of the requested format, three times at most; each correction is a turn of its own.
 * The text is held back until it is valid. An answer that was cut by a limit or calls tools is returned as it is.
 * Throws Fault `structured_output_failed`, and whatever `ask` throws.
 */
export async function askStructured(question: StructuredQuestion): Promise<StructuredAnswer> {
  const { request, check, enforced, ask, onAttempt } = question;
  let turns = request.turns;
  let usage = plainUsage(0, 0);
  let isEnforced = enforced;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const opened = await ask(isEnforced ? { ...request, turns } : withInstruction(request, turns, check));
    const { text, events, finish, usage: latest } = await readAll(opened);
    usage = addUsage(usage, latest);
    onAttempt?.({ name: opened.name, usage });
    const answered = { opened, attempts: attempt };
    const last: readonly ModelEvent[] = [{ type: 'usage', usage }, finish];
    if (finish.reason !== 'end' && finish.reason !== 'stop-sequence')
      return { ...answered, text, events: [...events, ...last] };
    const verdict = await check.check(text);
    if (verdict.ok)
      return { ...answered, text: verdict.text, events: [...withText(events, verdict.text), ...last] };
    turns = [...request.turns, ...correction(text, verdict.problem)];
    // A model that claims to enforce the format and did not gets the instruction as well.
    isEnforced = false;
  }
  throw new Fault('structured_output_failed', undefined, {
    cause: new Error(`no valid answer in ${attemptsMax} attempts`),
  });
}

function withInstruction(request: ModelRequest, turns: readonly Turn[], check: OutputCheck): ModelRequest {
  return { ...request, turns, system: [...request.system, check.instruction] };
}

function correction(text: string, problem: string): readonly Turn[] {
  const answer = text.trim() === '' ? '(nothing)' : text.slice(0, quotedCharsMax);
  const wrong = `That answer does not have the required format: ${problem}. Answer again, with only the corrected answer.`;
  return [
    { role: 'assistant', parts: [{ type: 'text', text: answer }] },
    { role: 'user', parts: [{ type: 'text', text: wrong }] },
  ];
}

/** The events are all but usage and the finish, as they came. */
async function readAll({ events }: OpenedStream) {
  let text = '';
  let usage = plainUsage(0, 0);
  let finish: Extract<ModelEvent, { readonly type: 'finish' }> | null = null;
  const kept: ModelEvent[] = [];
  for await (const batch of events) {
    for (const event of batch) {
      if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'finish') finish = event;
      else kept.push(event);
      if (event.type === 'text-delta') text += event.text;
    }
  }
  if (finish === null) {
    throw new Fault('bad_gateway', undefined, { cause: new Error('the stream ended without a finish') });
  }
  return { text, events: kept, usage, finish };
}

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}

/** The same with the text that was found valid, where the text began. */
function withText(events: readonly ModelEvent[], text: string): readonly ModelEvent[] {
  const at = events.findIndex(({ type }) => type === 'text-delta');
  const others = (some: readonly ModelEvent[]) => some.filter(({ type }) => type !== 'text-delta');
  if (at < 0 || text === '') return others(events);
  return [...events.slice(0, at), { type: 'text-delta', text }, ...others(events.slice(at))];
}
