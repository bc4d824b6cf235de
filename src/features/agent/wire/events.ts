import type { RunFailure, RunEvent, ResponseEncoder } from '../live-run.ts';
import type { RunFile, RunStatus } from '../run-store.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import type { ModelPrice } from '../../models/feature.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { AgentEvent } from '../events.ts';
import type { ToolItem, ToolSet } from '../../tools/feature.ts';
import { EventWriter } from './event-writer.ts';
import { toRunError, type RunError } from './run-error.ts';
import type { RunMeter } from './usage.ts';

export interface EncoderOptions {
  readonly id: string;
  readonly createdAt: number;
  /** The first candidate. */
  readonly model: string;
  /** What the response repeats of its request: everything after `usage`. */
  readonly echo: object;
  readonly ids: Ids;
  /** Unit: s since the Unix epoch. */
  readonly nowS: () => number;
  readonly meter: RunMeter;
  /** The canonical name and price behind a name that was asked for. */
  readonly findModel: (name: string) => { readonly id: string; readonly price: ModelPrice } | null;
  /** False leaves the usage out of the last event; the response has it. */
  readonly includesUsage: boolean;
  readonly fileUrl: (fileId: string) => string;
  readonly tools: ToolSet;
}

const ownCallId = /^call_[0-9A-Za-z]{24}$/;

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

interface OpenCall {
  readonly id: string;
  readonly callId: string;
  readonly index: number;
  readonly signature: string | undefined;
}

/** Encodes the events of a run as those of contract 7.6, and folds them into the response. */
export class ResponseEvents implements ResponseEncoder<readonly AgentEvent[]> {
  readonly files: RunFile[] = [];
  status: RunStatus = 'in_progress';
  readonly #options: EncoderOptions;
  readonly #writer: EventWriter;
  readonly #calls = new Map<string, OpenCall>();
  #model: string;
  #completedAt: number | null = null;
  #error: RunError | null = null;
  #incomplete: { readonly reason: 'max_output_tokens' } | null = null;

  constructor(options: EncoderOptions) {
    this.#options = options;
    this.#writer = new EventWriter(options.ids);
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
      this.#encodeOne(event);
    }
    return this.#writer.take();
  }

  fail(failure: RunFailure): readonly RunEvent[] {
    if (this.status === 'in_progress') {
      this.#options.meter.breakOff();
      this.#fail(toRunError(failure));
    }
    return this.#writer.take();
  }

  replaceEnd(failure: RunFailure): RunEvent {
    this.#writer.takeBack();
    this.#completedAt = null;
    this.#incomplete = null;
    this.#fail(toRunError(failure));
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
      completed_at: this.#completedAt,
      status: this.status,
      model: this.#model,
      output: isOpen ? [] : this.#writer.output,
      error: this.#error,
      incomplete_details: this.#incomplete,
      usage: isOpen || (this.status === 'failed' && meter.isNothing) ? null : meter.toUsage(),
      ...echo,
    };
  }

  #encodeOne(event: AgentEvent): void {
    switch (event.type) {
      case 'model':
        return this.#useModel(event.name);
      case 'tools-start':
        return this.#writer.emit('response.reasoning.started', { thought: event.thought });
      case 'progress': {
        const { event: name, payload } = this.#options.tools.toEvent(event.progress, event.thought);
        return this.#writer.emit(name, payload);
      }
      case 'tools-end':
        return this.#writer.emit('response.reasoning.stopped', { thought: event.thought });
      case 'item':
        return this.#emitItem(event.item);
      case 'reasoning-delta':
        return this.#options.meter.observeText(event.text.length);
      case 'message-start':
        return this.#writer.startMessage();
      case 'text-delta':
        this.#options.meter.observeText(event.text.length);
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
        return this.#options.meter.observe(event.usage);
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

  #emitItem(result: ToolItem): void {
    const { tools, fileUrl } = this.#options;
    const { item, file } = tools.toOutputItem(result, fileUrl);
    if (file !== undefined) this.files.push(file);
    this.#writer.end(this.#writer.begin(item), item, null);
  }

  #startCall({ callId, name, signature }: EventOf<'call-start'>): void {
    const { ids } = this.#options;
    const call = {
      id: `fc_${ids.uuid()}`,
      callId: ownCallId.test(callId) ? callId : `call_${shortId(ids)}`,
      signature,
    };
    const index = this.#writer.begin(toCallItem(call, name, '', 'in_progress'));
    this.#calls.set(callId, { ...call, index });
  }

  #emitArguments({ callId, arguments: delta }: EventOf<'call-delta'>): void {
    const { id, index } = this.#callOf(callId);
    this.#options.meter.observeText(delta.length);
    this.#writer.emit('response.function_call_arguments.delta', { item_id: id, output_index: index, delta });
  }

  #endCall({ callId, name, arguments: text, isCut }: EventOf<'call-end'>): void {
    const call = this.#callOf(callId);
    const { id, index } = call;
    const done = { item_id: id, output_index: index, name, arguments: text };
    this.#writer.emit('response.function_call_arguments.done', done);
    this.#writer.end(index, toCallItem(call, name, text, isCut === true ? 'incomplete' : 'completed'), id);
  }

  #end(reason: EventOf<'end'>['reason']): void {
    if (reason === 'context-full') return this.#fail(toRunError(new Fault('context_length_exceeded')));
    const isCut = reason === 'length';
    this.status = reason === 'calls' ? 'requires_action' : 'completed';
    this.#incomplete = isCut ? { reason: 'max_output_tokens' } : null;
    this.#completedAt = this.#options.nowS();
    const response = this.response();
    const sent = this.#options.includesUsage ? response : { ...response, usage: null };
    this.#writer.emit('response.completed', { response: sent });
  }

  #fail(error: RunError): void {
    this.status = 'failed';
    this.#error = error;
    this.#writer.emit('response.failed', { response: this.response(), error });
  }

  #callOf(callId: string): OpenCall {
    const call = this.#calls.get(callId);
    if (call === undefined) throw new Error('arguments of a call that did not begin');
    return call;
  }
}

function toCallItem(
  { id, callId, signature }: Omit<OpenCall, 'index'>,
  name: string,
  text: string,
  status: string,
) {
  return {
    type: 'function_call',
    id,
    call_id: callId,
    name,
    arguments: text,
    status,
    ...(signature === undefined ? {} : { thought_signature: signature }),
  };
}
