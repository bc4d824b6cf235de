import type { RunFailure, RunEvent, ResponseEncoder } from '../live-run.ts';
import type { RunFile, RunStatus } from '../run-store.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import type { ModelPrice } from '../../models/feature.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { AgentEvent, Citation } from '../events.ts';
import type { ToolItem, ToolSet } from '../../tools/feature.ts';
import { toRunError, type RunError } from './run-error.ts';
import type { RunMeter } from './usage.ts';

interface EncoderOptions {
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

interface Message {
  readonly id: string;
  readonly index: number;
  /** The JSON of a delta before the text. */
  readonly head: string;
  annotations: number;
}

interface OpenCall {
  readonly id: string;
  readonly callId: string;
  readonly index: number;
  readonly signature: string | undefined;
}

/** Encodes the events of a run as those of contract 7.6, and folds them into the response. */
export class ResponseEvents implements ResponseEncoder<readonly AgentEvent[]> {
  readonly items: { readonly id: string; readonly item: string }[] = [];
  readonly files: RunFile[] = [];
  status: RunStatus = 'in_progress';
  readonly #options: EncoderOptions;
  readonly #output: object[] = [];
  readonly #calls = new Map<string, OpenCall>();
  #out: RunEvent[] = [];
  #sequence = 0;
  #index = 0;
  #model: string;
  #completedAt: number | null = null;
  #error: RunError | null = null;
  #incomplete: { readonly reason: 'max_output_tokens' } | null = null;
  #message: Message | null = null;

  constructor(options: EncoderOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  begin(): readonly RunEvent[] {
    const response = this.response();
    this.#emit('response.created', { response });
    this.#emit('response.in_progress', { response });
    return this.#taken();
  }

  encode(batch: readonly AgentEvent[]): readonly RunEvent[] {
    for (const event of batch) {
      if (this.status !== 'in_progress') break;
      this.#encodeOne(event);
    }
    return this.#taken();
  }

  fail(failure: RunFailure): readonly RunEvent[] {
    if (this.status === 'in_progress') {
      this.#options.meter.breakOff();
      this.#fail(toRunError(failure));
    }
    return this.#taken();
  }

  replaceEnd(failure: RunFailure): RunEvent {
    this.#sequence--;
    this.#completedAt = null;
    this.#incomplete = null;
    this.#fail(toRunError(failure));
    const [event] = this.#taken();
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
      output: isOpen ? [] : [...this.#output],
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
        return this.#emit('response.reasoning.started', { thought: event.thought });
      case 'progress': {
        const { event: name, payload } = this.#options.tools.toEvent(event.progress, event.thought);
        return this.#emit(name, payload);
      }
      case 'tools-end':
        return this.#emit('response.reasoning.stopped', { thought: event.thought });
      case 'item':
        return this.#emitItem(event.item);
      case 'reasoning-delta':
        return this.#options.meter.observeText(event.text.length);
      case 'message-start':
        return this.#startMessage();
      case 'text-delta':
        return this.#emitText(event.text);
      case 'citation':
        return this.#emitCitation(event.citation);
      case 'message-end':
        return this.#endMessage(event);
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
    const output_index = this.#index++;
    this.#emit('response.output_item.added', { output_index, item });
    this.#endItem(output_index, item, null);
  }

  #startMessage(): void {
    const id = `msg_${this.#options.ids.uuid()}`;
    const index = this.#index++;
    const place = `"item_id":${JSON.stringify(id)},"output_index":${index},"content_index":0`;
    this.#message = { id, index, head: place, annotations: 0 };
    const item = toMessageItem(id, 'in_progress', []);
    this.#emit('response.output_item.added', { output_index: index, item });
    this.#emit('response.content_part.added', { ...placeOf(this.#message), part: toPart('', []) });
  }

  /** Serialises only the text: most events of a run are these. */
  #emitText(text: string): void {
    const { head } = this.#open();
    this.#options.meter.observeText(text.length);
    const sequence = this.#sequence++;
    const event = 'response.output_text.delta';
    const data = `{"type":"${event}","sequence_number":${sequence},${head},"delta":${JSON.stringify(text)},"logprobs":[]}`;
    this.#out.push({ sequence, event, data });
  }

  #emitCitation(citation: Citation): void {
    const message = this.#open();
    const annotation_index = message.annotations++;
    const place = { ...placeOf(message), annotation_index, annotation: toAnnotation(citation) };
    this.#emit('response.output_text.annotation.added', place);
  }

  #endMessage({ text, citations }: EventOf<'message-end'>): void {
    const message = this.#open();
    this.#message = null;
    const part = toPart(text, citations.map(toAnnotation));
    this.#emit('response.output_text.done', { ...placeOf(message), text, logprobs: [] });
    this.#emit('response.content_part.done', { ...placeOf(message), part });
    this.#endItem(message.index, toMessageItem(message.id, 'completed', [part]), message.id);
  }

  #startCall({ callId, name, signature }: EventOf<'call-start'>): void {
    const { ids } = this.#options;
    const call: OpenCall = {
      id: `fc_${ids.uuid()}`,
      callId: ownCallId.test(callId) ? callId : `call_${shortId(ids)}`,
      index: this.#index++,
      signature,
    };
    this.#calls.set(callId, call);
    const item = toCallItem(call, name, '', 'in_progress');
    this.#emit('response.output_item.added', { output_index: call.index, item });
  }

  #emitArguments({ callId, arguments: delta }: EventOf<'call-delta'>): void {
    const { id, index } = this.#callOf(callId);
    this.#options.meter.observeText(delta.length);
    this.#emit('response.function_call_arguments.delta', { item_id: id, output_index: index, delta });
  }

  #endCall({ callId, name, arguments: text, isCut }: EventOf<'call-end'>): void {
    const call = this.#callOf(callId);
    const { id, index } = call;
    const done = { item_id: id, output_index: index, name, arguments: text };
    this.#emit('response.function_call_arguments.done', done);
    this.#endItem(index, toCallItem(call, name, text, isCut === true ? 'incomplete' : 'completed'), id);
  }

  #endItem(output_index: number, item: object, id: string | null): void {
    this.#output.push(item);
    if (id !== null) this.items.push({ id, item: JSON.stringify(item) });
    this.#emit('response.output_item.done', { output_index, item });
  }

  #end(reason: EventOf<'end'>['reason']): void {
    if (reason === 'context-full') return this.#fail(toRunError(new Fault('context_length_exceeded')));
    const isCut = reason === 'length';
    this.status = reason === 'calls' ? 'requires_action' : 'completed';
    this.#incomplete = isCut ? { reason: 'max_output_tokens' } : null;
    this.#completedAt = this.#options.nowS();
    const response = this.response();
    const sent = this.#options.includesUsage ? response : { ...response, usage: null };
    this.#emit('response.completed', { response: sent });
  }

  #fail(error: RunError): void {
    this.status = 'failed';
    this.#error = error;
    this.#emit('response.failed', { response: this.response(), error });
  }

  #open(): Message {
    if (this.#message === null) throw new Error('text outside of a message');
    return this.#message;
  }

  #callOf(callId: string): OpenCall {
    const call = this.#calls.get(callId);
    if (call === undefined) throw new Error('arguments of a call that did not begin');
    return call;
  }

  #emit(event: string, payload: object): void {
    const sequence = this.#sequence++;
    const data = JSON.stringify({ type: event, sequence_number: sequence, ...payload });
    this.#out.push({ sequence, event, data });
  }

  #taken(): readonly RunEvent[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }
}

function placeOf({ id, index }: Message) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function toMessageItem(id: string, status: string, content: readonly object[]) {
  return { type: 'message', id, role: 'assistant', status, content };
}

function toPart(text: string, annotations: readonly object[]) {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

function toCallItem({ id, callId, signature }: OpenCall, name: string, text: string, status: string) {
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

function toAnnotation({ start, end, url, title }: Citation) {
  return { type: 'url_citation' as const, start_index: start, end_index: end, url, title };
}
