import { Fault } from '../../../kernel/faults.ts';
import type { ServerSentEvent } from '../../../kernel/kit/sse.ts';
import type { JsonReply, ReplyHeaders, StreamReply } from '../../../kernel/http/operation.ts';
import { ok, stream } from '../../../kernel/http/operation.ts';
import type { ModelEvent, ModelRequest, ModelUsage, OpenedStream } from '../../models/feature.ts';
import { estimateRequestTokens, plainUsage } from '../../models/feature.ts';
import { routerBilling } from './router.ts';

type Batch = readonly ModelEvent[];
export type Finish = Extract<ModelEvent, { type: 'finish' }>;
export type CallStart = Extract<ModelEvent, { type: 'tool-call-start' }>;

/** The parts of an answer that are known before its first event. */
export interface AnswerStart {
  readonly id: string;
  /** The name that the caller sent. */
  readonly model: string;
  readonly newId: (prefix: string) => string;
  /** Called with the id of each call that its model signed. */
  readonly onSigned: (id: string, signature: string) => void;
}

/** What becomes of reasoning; `signed` keeps its signature without its text. */
export type Thoughts = 'dropped' | 'signed' | 'shown';

interface AnswerFormat {
  /** The id under which the caller knows a call. */
  readonly toCallId: (call: CallStart) => string;
  readonly thoughts?: Thoughts;
  readonly toBody: (answer: CollectedAnswer, usage: ModelUsage) => object;
  /** `usage` returns the usage that is known when it is called. */
  readonly createEncoder: (usage: () => ModelUsage) => {
    push(batch: Batch): readonly ServerSentEvent[];
  };
  readonly toErrorEvents: StreamReply['endWith'];
  readonly headers?: ReplyHeaders;
  readonly ping?: string;
}

/** Writes an answer: as a stream while it comes, or as one body when it is complete. */
export async function toReply(
  { entry, events }: OpenedStream,
  request: ModelRequest,
  isStreamed: boolean,
  { toCallId, thoughts, toBody, createEncoder, toErrorEvents, headers = {}, ping }: AnswerFormat,
): Promise<JsonReply | StreamReply> {
  const counter = createUsageCounter(request);
  if (isStreamed) {
    const encoder = createEncoder(counter.usage);
    const batches = mapBatches(events, (batch) => {
      counter.observe(batch);
      return encoder.push(batch);
    });
    const billing = () => routerBilling(entry, counter.usage());
    return stream(batches, toErrorEvents, { headers, billing, ...(ping !== undefined && { ping }) });
  }
  const answer = new CollectedAnswer(toCallId, thoughts);
  for await (const batch of events) {
    counter.observe(batch);
    answer.push(batch);
  }
  const usage = counter.usage();
  return ok(toBody(answer, usage), headers, routerBilling(entry, usage));
}

interface CallBlock {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  /** Arguments as JSON. */
  text: string;
}

interface ThoughtBlock {
  readonly kind: 'thought';
  /** Null where the model hides it. */
  text: string | null;
  /** Null until it is known, and for a model that signs nothing. */
  signature: string | null;
}

export type Block = { readonly kind: 'text'; text: string } | ThoughtBlock | CallBlock;

export class CollectedAnswer {
  readonly blocks: Block[] = [];
  readonly #toCallId: AnswerFormat['toCallId'];
  readonly #thoughts: Thoughts;
  readonly #calls = new Map<string, CallBlock>();
  #finish: Finish | null = null;

  constructor(toCallId: AnswerFormat['toCallId'], thoughts: Thoughts = 'dropped') {
    this.#toCallId = toCallId;
    this.#thoughts = thoughts;
  }

  get calls(): readonly CallBlock[] {
    return this.blocks.filter((block) => block.kind === 'call');
  }

  /** Throws Fault `bad_gateway` for an answer without an end. */
  get finish(): Finish {
    if (this.#finish === null) throw new Fault('bad_gateway');
    return this.#finish;
  }

  push(batch: Batch): void {
    for (const event of batch) this.#add(event);
  }

  #add(event: ModelEvent): void {
    switch (event.type) {
      case 'text-delta': {
        const last = this.blocks.at(-1);
        if (last?.kind === 'text') last.text += event.text;
        else if (event.text !== '') this.blocks.push({ kind: 'text', text: event.text });
        return;
      }
      case 'tool-call-start': {
        const call: CallBlock = { kind: 'call', id: this.#toCallId(event), name: event.name, text: '' };
        this.blocks.push(call);
        this.#calls.set(event.id, call);
        return;
      }
      case 'tool-call-delta': {
        const call = this.#calls.get(event.id);
        if (call) call.text += event.arguments;
        return;
      }
      case 'tool-call-end': {
        const call = this.#calls.get(event.id);
        if (call && event.isCut === true) this.blocks.splice(this.blocks.indexOf(call), 1);
        return;
      }
      case 'reasoning-delta': {
        if (this.#thoughts !== 'shown') return;
        const open = this.#openThought();
        if (open) open.text += event.text;
        else this.blocks.push({ kind: 'thought', text: event.text, signature: null });
        return;
      }
      case 'thought': {
        if (this.#thoughts === 'dropped') return;
        const { text, signature } = event;
        const open = text === null ? null : this.#openThought();
        const shown = this.#thoughts === 'shown' || text === null ? text : '';
        if (open) open.signature = signature;
        else this.blocks.push({ kind: 'thought', text: shown, signature });
        return;
      }
      case 'finish':
        this.#finish = event;
        return;
      case 'usage':
    }
  }

  #openThought(): ThoughtBlock | null {
    const last = this.blocks.at(-1);
    return last?.kind === 'thought' && last.signature === null ? last : null;
  }
}

/** Average length of a token. Unit: UTF-16 units. */
const unitsPerToken = 4;

/** Counts what is delivered, to bill an answer that breaks off before its backend reported usage. */
function createUsageCounter(request: ModelRequest) {
  let reported: ModelUsage | null = null;
  let finished = false;
  let units = 0;
  return {
    observe(batch: Batch): void {
      for (const event of batch) {
        if (event.type === 'text-delta') units += event.text.length;
        else if (event.type === 'tool-call-delta') units += event.arguments.length;
        else if (event.type === 'usage') reported = event.usage;
        else if (event.type === 'finish') finished = true;
      }
    },
    usage: (): ModelUsage => {
      if (finished && reported !== null) return reported;
      const base = reported ?? plainUsage(estimateRequestTokens(request), 0);
      return { ...base, output: Math.max(base.output, Math.ceil(units / unitsPerToken)) };
    },
  };
}

/** No generator, so that a batch costs one promise and the source is closed as soon as the consumer leaves. */
function mapBatches<From, To>(source: AsyncIterable<From>, toBatch: (batch: From) => To): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const batches = source[Symbol.asyncIterator]();
      const toStep = (step: IteratorResult<From>): IteratorResult<To> =>
        step.done === true ? { done: true, value: undefined } : { done: false, value: toBatch(step.value) };
      return {
        next: () => batches.next().then(toStep),
        async return() {
          await batches.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
