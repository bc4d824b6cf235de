import type { AgentEvent, Citation } from '../../events.ts';
import type { RunFailure } from '../../live-run.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { RunEncoder, type EncoderOptions, type EventOf } from '../run-encoder.ts';
import { inputOf } from '../../../models/feature.ts';
import { toCallItem, type ClientCall } from './calls.ts';
import { toResponseError, type ResponseError } from './error.ts';
import { ReasoningItems, type ReasoningOptions } from './reasoning-items.ts';
import { ToolItems, type ToolItemOptions } from './tool-items.ts';

export interface OpenAiEncoderOptions
  extends EncoderOptions, Omit<ReasoningOptions, 'ids'>, Pick<ToolItemOptions, 'approvals' | 'showsFiles'> {
  readonly calls: ReadonlyMap<string, ClientCall>;
}

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
export class OpenAiResponseEvents extends RunEncoder<OpenAiEncoderOptions, OpenCall> {
  /** Why the run failed; null unless it did. */
  failure: RunFailure | null = null;
  readonly #tools = new ToolItems(this.writer, this.options);
  readonly #reasoning = new ReasoningItems(this.writer, this.options);
  #told: Status = 'in_progress';
  #error: ResponseError | null = null;

  response(): object {
    const { id, createdAt, echo } = this.options;
    return {
      id,
      object: 'response',
      created_at: createdAt,
      status: this.#told,
      completed_at: this.completedAt,
      error: this.#error,
      incomplete_details: this.incomplete,
      model: this.model,
      output: this.isOpen ? [] : this.writer.output,
      usage: this.usage && toUsage(this.usage),
      ...echo,
    };
  }

  protected encodeOne(event: AgentEvent): void {
    if (event.type !== 'reasoning-delta') this.#reasoning.end();
    if (event.type !== 'item') this.#tools.endFailed(event);
    switch (event.type) {
      case 'tools-start':
      case 'tools-end':
      // The vendor's shape has no place for it.
      case 'verification':
        return;
      case 'progress':
        return this.#tools.begin(event.progress);
      case 'item': {
        const file = this.#tools.end(event.item);
        if (file !== undefined) this.files.push(file);
        return;
      }
      case 'reasoning-delta':
        this.options.meter.observeText(event.text.length);
        return this.#reasoning.push(event.text);
      case 'call-start':
        return this.#startCall(event);
      case 'call-delta':
        return this.#emitArguments(event);
      case 'call-end':
        return this.#endCall(event);
      case 'end':
        return this.#end(event.reason);
      default:
        return this.encodePlain(event);
    }
  }

  protected override toAnnotation(citation: Citation): object {
    const file = this.#tools.fileAt(citation.url);
    if (file === undefined) return super.toAnnotation(citation);
    return { type: 'file_citation', file_id: file.fileId, filename: file.fileName, index: citation.start };
  }

  protected emitFailure(failure: RunFailure): void {
    this.status = 'failed';
    this.failure = failure;
    this.#told = failure === 'cancelled' ? 'cancelled' : 'failed';
    this.#error = failure === 'cancelled' ? null : toResponseError(failure);
    // No event tells of a cancelled response: its status does.
    this.writer.emit('response.failed', { response: this.response() });
  }

  #startCall({ callId, name, signature }: EventOf<'call-start'>): void {
    const { ids, calls } = this.options;
    const client = calls.get(name) ?? { kind: 'function', name, namespace: null };
    const call = {
      id: `${prefixes[client.kind]}_${ids.uuid()}`,
      callId: this.toCallId(callId),
    };
    this.#reasoning.keepFound(this.#tools.takeFound());
    if (signature !== undefined) this.#reasoning.sign(call.callId, signature);
    const item = toCallItem(client, { ...call, status: 'in_progress' }, '');
    this.calls.set(callId, { ...call, client, index: this.writer.begin(item) });
  }

  #emitArguments({ callId, arguments: delta }: EventOf<'call-delta'>): void {
    const { id, index, client } = this.callOf(callId);
    this.options.meter.observeText(delta.length);
    if (client.kind === 'function')
      this.writer.emit('response.function_call_arguments.delta', {
        item_id: id,
        output_index: index,
        delta,
      });
  }

  #endCall({ callId, arguments: text, isCut }: EventOf<'call-end'>): void {
    const { id, callId: ownId, index, client } = this.callOf(callId);
    const place = { item_id: id, output_index: index };
    if (client.kind === 'function')
      this.writer.emit('response.function_call_arguments.done', {
        ...place,
        name: client.name,
        arguments: text,
      });
    if (client.kind === 'custom') {
      const input = inputOf(text);
      this.writer.emit('response.custom_tool_call_input.delta', { ...place, delta: input });
      this.writer.emit('response.custom_tool_call_input.done', { ...place, input });
    }
    const status = isCut === true ? 'incomplete' : 'completed';
    this.writer.end(index, toCallItem(client, { id, callId: ownId, status }, text), id);
  }

  #end(reason: EventOf<'end'>['reason']): void {
    if (reason === 'context-full') return this.emitFailure(new Fault('context_length_exceeded'));
    const cut = reason === 'length' ? 'max_output_tokens' : 'content_filter';
    const isCut = reason === 'length' || reason === 'content-filter';
    // What waits for the client is over all the same here.
    this.status = reason === 'calls' ? 'requires_action' : 'completed';
    this.#told = isCut ? 'incomplete' : 'completed';
    this.incomplete = isCut ? { reason: cut } : null;
    this.completedAt = isCut ? null : this.options.nowS();
    this.writer.emit(`response.${this.#told}`, { response: this.response() });
  }
}

type Usage = ReturnType<EncoderOptions['meter']['toUsage']>;

function toUsage({ input_tokens, output_tokens, total_tokens, ...details }: Usage) {
  const { cached_tokens, cache_creation_input_tokens: cache_write_tokens } = details.input_tokens_details;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens,
    output_tokens_details: details.output_tokens_details,
    total_tokens,
  };
}
