import type { RunFailure } from '../live-run.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { AgentEvent } from '../events.ts';
import { toWireVerification, type WireVerification } from '../../verification/feature.ts';
import type { ToolItem } from '../../tools/feature.ts';
import { RunEncoder, type EncoderOptions, type EventOf } from './run-encoder.ts';
import { toRunError, type RunError } from './run-error.ts';

interface AgentEncoderOptions extends EncoderOptions {
  /** False leaves the usage out of the last event; the response has it. */
  readonly includesUsage: boolean;
}

interface OpenCall {
  readonly id: string;
  readonly callId: string;
  readonly index: number;
  readonly signature: string | undefined;
}

/** Encodes the events of a run as those of contract 7.6, and folds them into the response. */
export class ResponseEvents extends RunEncoder<AgentEncoderOptions, OpenCall> {
  #error: RunError | null = null;
  #verification: WireVerification | null = null;

  response(): object {
    const { id, createdAt, echo } = this.options;
    return {
      id,
      object: 'response',
      created_at: createdAt,
      completed_at: this.completedAt,
      status: this.status,
      model: this.model,
      output: this.isOpen ? [] : this.writer.output,
      error: this.#error,
      incomplete_details: this.incomplete,
      usage: this.usage,
      ...echo,
      ...(this.#verification !== null && { verification: this.#verification }),
    };
  }

  protected encodeOne(event: AgentEvent): void {
    switch (event.type) {
      case 'tools-start':
        return this.writer.emit('response.reasoning.started', { thought: event.thought });
      case 'progress': {
        const { event: name, payload } = this.options.tools.toEvent(event.progress, event.thought);
        return this.writer.emit(name, payload);
      }
      case 'tools-end':
        return this.writer.emit('response.reasoning.stopped', { thought: event.thought });
      case 'item':
        return this.#emitItem(event.item);
      case 'reasoning-delta':
        return this.options.meter.observeText(event.text.length);
      case 'call-start':
        return this.#startCall(event);
      case 'call-delta':
        return this.#emitArguments(event);
      case 'call-end':
        return this.#endCall(event);
      case 'verification':
        this.#verification = toWireVerification(event.verification);
        return;
      case 'end':
        return this.#end(event.reason);
      default:
        return this.encodePlain(event);
    }
  }

  protected emitFailure(failure: RunFailure): void {
    this.status = 'failed';
    const error = toRunError(failure);
    this.#error = error;
    this.writer.emit('response.failed', { response: this.response(), error });
  }

  #emitItem(result: ToolItem): void {
    const { tools, fileUrl } = this.options;
    const { item, file } = tools.toOutputItem(result, fileUrl);
    if (file !== undefined) this.files.push(file);
    this.writer.end(this.writer.begin(item), item, null);
  }

  #startCall({ callId, name, signature }: EventOf<'call-start'>): void {
    const { ids } = this.options;
    const call = {
      id: `fc_${ids.uuid()}`,
      callId: this.toCallId(callId),
      signature,
    };
    const index = this.writer.begin(toCallItem(call, name, '', 'in_progress'));
    this.calls.set(callId, { ...call, index });
  }

  #emitArguments({ callId, arguments: delta }: EventOf<'call-delta'>): void {
    const { id, index } = this.callOf(callId);
    this.options.meter.observeText(delta.length);
    this.writer.emit('response.function_call_arguments.delta', { item_id: id, output_index: index, delta });
  }

  #endCall({ callId, name, arguments: text, isCut }: EventOf<'call-end'>): void {
    const call = this.callOf(callId);
    const { id, index } = call;
    const done = { item_id: id, output_index: index, name, arguments: text };
    this.writer.emit('response.function_call_arguments.done', done);
    this.writer.end(index, toCallItem(call, name, text, isCut === true ? 'incomplete' : 'completed'), id);
  }

  #end(reason: EventOf<'end'>['reason']): void {
    if (reason === 'context-full') return this.emitFailure(new Fault('context_length_exceeded'));
    const isCut = reason === 'length';
    this.status = reason === 'calls' ? 'requires_action' : 'completed';
    this.incomplete = isCut ? { reason: 'max_output_tokens' } : null;
    this.completedAt = this.options.nowS();
    const response = this.response();
    const sent = this.options.includesUsage ? response : { ...response, usage: null };
    this.writer.emit('response.completed', { response: sent });
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
