import type { AgentEvent } from '../../events.ts';
import type { ResponseEncoder, RunEvent, RunFailure } from '../../live-run.ts';
import type { RunFile, RunStatus } from '../../run-store.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { shortId } from '../../../../kernel/kit/ids.ts';
import { EventWriter } from '../event-writer.ts';
import type { EncoderOptions } from '../events.ts';
import { inputOf } from '../../../models/feature.ts';
import { toCallItem, type ClientCall } from './calls.ts';
import { toResponseError, type ResponseError } from './error.ts';
import { ReasoningItems, type ReasoningOptions } from './reasoning-items.ts';
import { ToolItems } from './tool-items.ts';

export interface OpenAiEncoderOptions
  extends Omit<EncoderOptions, 'includesUsage'>, Omit<ReasoningOptions, 'ids'> {
  readonly calls: ReadonlyMap<string, ClientCall>;
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

interface OpenCall {
  readonly id: string;
  readonly callId: string;
  readonly index: number;
  readonly client: ClientCall;
}

const prefixes = {
  function: 'fc',
  custom: 'ctc',
  local_shell: 'lsh',
  shell: 'sh',
  apply_patch: 'apc',
  tool_search: 'tsc',
} as const;

/** Encodes the events of a run as OpenAI documents them, and folds them into the response. */
export class OpenAiResponseEvents implements ResponseEncoder<readonly AgentEvent[]> {
  readonly files: RunFile[] = [];
  status: RunStatus = 'in_progress';
  /** Why the run failed; null unless it did. */
  failure: RunFailure | null = null;
  readonly #options: OpenAiEncoderOptions;
  readonly #writer: EventWriter;
  readonly #tools: ToolItems;
  readonly #reasoning: ReasoningItems;
  readonly #calls = new Map<string, OpenCall>();
  #model: string;
  #told: Status = 'in_progress';
  #completedAt: number | null = null;
  #error: ResponseError | null = null;
  #incomplete: { readonly reason: 'max_output_tokens' | 'content_filter' } | null = null;

  constructor(options: OpenAiEncoderOptions) {
    this.#options = options;
    this.#writer = new EventWriter(options.ids);
    this.#tools = new ToolItems(this.#writer, options);
    this.#reasoning = new ReasoningItems(this.#writer, options);
    this.#model = options.model;
  }

  get items() {
    return this.#writer.items;
  }

  begin(): readonly RunEvent[] {
    const response = this.response();
    this.#writer.emit('response.created', { response });
    this.#writer.emit('response.in_progress', { response });
    return this.#writer.take();
  }

  encode(batch: readonly AgentEvent[]): readonly RunEvent[] {
    for (const event of batch) {
      if (this.status !== 'in_progress') break;
      if (event.type !== 'reasoning-delta') this.#reasoning.end();
      if (event.type !== 'item') this.#tools.endFailed(event);
      this.#encodeOne(event);
    }
    return this.#writer.take();
  }

  fail(failure: RunFailure): readonly RunEvent[] {
    if (this.status === 'in_progress') {
      this.#options.meter.breakOff();
      this.#fail(failure);
    }
    return this.#writer.take();
  }

  replaceEnd(failure: RunFailure): RunEvent {
    this.#writer.takeBack();
    this.#completedAt = null;
    this.#incomplete = null;
    this.#fail(failure);
    const [event] = this.#writer.take();
    if (event === undefined) throw new Error('a failure is one event');
    return event;
  }

  response(): object {
    const { id, createdAt, echo, meter } = this.#options;
    const isOpen = this.status === 'in_progress';
    return {
      id,
      object: 'response',
      created_at: createdAt,
      status: this.#told,
      completed_at: this.#completedAt,
      error: this.#error,
      incomplete_details: this.#incomplete,
      model: this.#model,
      output: isOpen ? [] : this.#writer.output,
      usage: isOpen || (this.status === 'failed' && meter.isNothing) ? null : toUsage(meter.toUsage()),
      ...echo,
    };
  }

  #encodeOne(event: AgentEvent): void {
    const { meter } = this.#options;
    switch (event.type) {
      case 'model':
        return this.#useModel(event.name);
      case 'tools-start':
      case 'tools-end':
        return;
      case 'progress':
        return this.#tools.begin(event.progress);
      case 'item': {
        const file = this.#tools.end(event.item);
        if (file !== undefined) this.files.push(file);
        return;
      }
      case 'reasoning-delta':
        meter.observeText(event.text.length);
        return this.#reasoning.push(event.text);
      case 'message-start':
        return this.#writer.startMessage();
      case 'text-delta':
        meter.observeText(event.text.length);
        return this.#writer.text(event.text);
      case 'citation':
        return this.#writer.cite(event.citation);
      case 'message-end':
        return this.#writer.endMessage(event.text, event.citations);
      case 'call-start':
        return this.#startCall(event);
      case 'call-delta':
        return this.#emitArguments(event);
      case 'call-end':
        return this.#endCall(event);
      case 'usage':
        return meter.observe(event.usage);
      case 'end':
        return this.#end(event.reason);
    }
  }

  #useModel(name: string): void {
    this.#model = name;
    const { meter, findModel } = this.#options;
    const found = findModel(name);
    if (found !== null) meter.useModel(found.id, found.price);
  }

  #startCall({ callId, name, signature }: EventOf<'call-start'>): void {
    const { ids, calls } = this.#options;
    const client = calls.get(name) ?? { kind: 'function', name, namespace: null };
    const call = {
      id: `${prefixes[client.kind]}_${ids.uuid()}`,
      callId: /^call_[0-9A-Za-z]{24}$/.test(callId) ? callId : `call_${shortId(ids)}`,
    };
    this.#reasoning.keepFound(this.#tools.takeFound());
    if (signature !== undefined) this.#reasoning.sign(call.callId, signature);
    const item = toCallItem(client, { ...call, status: 'in_progress' }, '');
    this.#calls.set(callId, { ...call, client, index: this.#writer.begin(item) });
  }

  #emitArguments({ callId, arguments: delta }: EventOf<'call-delta'>): void {
    const { id, index, client } = this.#callOf(callId);
    this.#options.meter.observeText(delta.length);
    if (client.kind === 'function')
      this.#writer.emit('response.function_call_arguments.delta', {
        item_id: id,
        output_index: index,
        delta,
      });
  }

  #endCall({ callId, arguments: text, isCut }: EventOf<'call-end'>): void {
    const { id, callId: ownId, index, client } = this.#callOf(callId);
    const place = { item_id: id, output_index: index };
    if (client.kind === 'function')
      this.#writer.emit('response.function_call_arguments.done', {
        ...place,
        name: client.name,
        arguments: text,
      });
    if (client.kind === 'custom') {
      const input = inputOf(text);
      this.#writer.emit('response.custom_tool_call_input.delta', { ...place, delta: input });
      this.#writer.emit('response.custom_tool_call_input.done', { ...place, input });
    }
    const status = isCut === true ? 'incomplete' : 'completed';
    this.#writer.end(index, toCallItem(client, { id, callId: ownId, status }, text), id);
  }

  #end(reason: EventOf<'end'>['reason']): void {
    if (reason === 'context-full') return this.#fail(new Fault('context_length_exceeded'));
    const cut = reason === 'length' ? 'max_output_tokens' : 'content_filter';
    const isCut = reason === 'length' || reason === 'content-filter';
    // What waits for the client is over all the same here.
    this.status = reason === 'calls' ? 'requires_action' : 'completed';
    this.#told = isCut ? 'incomplete' : 'completed';
    this.#incomplete = isCut ? { reason: cut } : null;
    this.#completedAt = isCut ? null : this.#options.nowS();
    this.#writer.emit(`response.${this.#told}`, { response: this.response() });
  }

  #fail(failure: RunFailure): void {
    this.status = 'failed';
    this.failure = failure;
    this.#told = failure === 'cancelled' ? 'cancelled' : 'failed';
    this.#error = failure === 'cancelled' ? null : toResponseError(failure);
    // No event tells of a cancelled response: its status does.
    this.#writer.emit('response.failed', { response: this.response() });
  }

  #callOf(callId: string): OpenCall {
    const call = this.#calls.get(callId);
    if (call === undefined) throw new Error('arguments of a call that did not begin');
    return call;
  }
}

type Usage = ReturnType<EncoderOptions['meter']['toUsage']>;

export function toUsage({ input_tokens, output_tokens, total_tokens, ...details }: Usage) {
  const { cached_tokens, cache_creation_input_tokens: cache_write_tokens } = details.input_tokens_details;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens,
    output_tokens_details: details.output_tokens_details,
    total_tokens,
  };
}
