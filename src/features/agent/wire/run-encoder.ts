import type { AgentEvent, Citation } from '../events.ts';
import type { ResponseEncoder, RunEvent, RunFailure } from '../live-run.ts';
import type { RunFile, RunStatus } from '../run-store.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import type { ModelPrice } from '../../models/feature.ts';
import type { ToolSet } from '../../tools/feature.ts';
import { EventWriter, toUrlCitation } from './event-writer.ts';
import type { RunMeter } from './usage.ts';

export interface EncoderOptions {
  readonly id: string;
  readonly createdAt: number;
  /** The first candidate. */
  readonly model: string;
  /** What the response repeats of its request. */
  readonly echo: object;
  readonly ids: Ids;
  /** Unit: s since the Unix epoch. */
  readonly nowS: () => number;
  readonly meter: RunMeter;
  /** The canonical name and price behind a name that was asked for. */
  readonly findModel: (name: string) => { readonly id: string; readonly price: ModelPrice } | null;
  readonly fileUrl: (fileId: string) => string;
  readonly tools: ToolSet;
}

export type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Events that are told in the same words on every surface. */
type PlainEvent = EventOf<'model' | 'message-start' | 'text-delta' | 'citation' | 'message-end' | 'usage'>;

const ownCallId = /^call_[0-9A-Za-z]{24}$/;

/** What the surfaces share in telling of a run: its beginning, its messages and how it comes to its end. */
export abstract class RunEncoder<Options extends EncoderOptions, Call> implements ResponseEncoder<
  readonly AgentEvent[]
> {
  readonly files: RunFile[] = [];
  status: RunStatus = 'in_progress';
  protected readonly options: Options;
  protected readonly writer: EventWriter;
  /** Calls that have begun, by the ids that the model gave them. */
  protected readonly calls = new Map<string, Call>();
  protected model: string;
  protected completedAt: number | null = null;
  protected incomplete: { readonly reason: 'max_output_tokens' | 'content_filter' } | null = null;

  constructor(options: Options) {
    this.options = options;
    this.writer = new EventWriter(options.ids, (citation) => this.toAnnotation(citation));
    this.model = options.model;
  }

  get items() {
    return this.writer.items;
  }

  abstract response(): object;

  begin(): readonly RunEvent[] {
    const response = this.response();
    this.writer.emit('response.created', { response });
    this.writer.emit('response.in_progress', { response });
    return this.writer.take();
  }

  encode(batch: readonly AgentEvent[]): readonly RunEvent[] {
    for (const event of batch) {
      if (this.status !== 'in_progress') break;
      this.encodeOne(event);
    }
    return this.writer.take();
  }

  fail(failure: RunFailure): readonly RunEvent[] {
    if (this.status === 'in_progress') {
      this.options.meter.breakOff();
      this.emitFailure(failure);
    }
    return this.writer.take();
  }

  replaceEnd(failure: RunFailure): RunEvent {
    this.writer.takeBack();
    this.completedAt = null;
    this.incomplete = null;
    this.emitFailure(failure);
    const [event] = this.writer.take();
    if (event === undefined) throw new Error('a failure is one event');
    return event;
  }

  protected abstract encodeOne(event: AgentEvent): void;

  /** Ends the response as failed, in one event. */
  protected abstract emitFailure(failure: RunFailure): void;

  protected get isOpen(): boolean {
    return this.status === 'in_progress';
  }

  /** What was used so far, where the response tells of it. */
  protected get usage(): ReturnType<RunMeter['toUsage']> | null {
    const { meter } = this.options;
    return this.isOpen || (this.status === 'failed' && meter.isNothing) ? null : meter.toUsage();
  }

  protected encodePlain(event: PlainEvent): void {
    const { meter } = this.options;
    switch (event.type) {
      case 'model':
        return this.#useModel(event.name);
      case 'message-start':
        return this.writer.startMessage();
      case 'text-delta':
        meter.observeText(event.text.length);
        return this.writer.text(event.text);
      case 'citation':
        return this.writer.cite(event.citation);
      case 'message-end':
        return this.writer.endMessage(event.text, event.citations);
      case 'usage':
        return meter.observe(event.usage);
    }
  }

  protected toAnnotation(citation: Citation): object {
    return toUrlCitation(citation);
  }

  /** The id of a call on the wire: that of the model where it has the form of one. */
  protected toCallId(callId: string): string {
    return ownCallId.test(callId) ? callId : `call_${shortId(this.options.ids)}`;
  }

  protected callOf(callId: string): Call {
    const call = this.calls.get(callId);
    if (call === undefined) throw new Error('arguments of a call that did not begin');
    return call;
  }

  #useModel(name: string): void {
    this.model = name;
    const { meter, findModel } = this.options;
    const found = findModel(name);
    if (found !== null) meter.useModel(found.id, found.price);
  }
}
