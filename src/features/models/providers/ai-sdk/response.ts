import { textOf } from '../../../../kernel/kit/json-fields.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { CallIds } from '../../call-ids.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../model.ts';
import { readCount } from '../../sound-usage.ts';
import { cutArguments, isLimit, isWholeArguments } from '../../tool-arguments.ts';
import { formatSignature } from './signature.ts';

/** The package reported a failure inside the stream. The cause is the package's own error. */
export class PartError extends Error {
  constructor(cause: unknown) {
    super('the stream reported an error', { cause });
    this.name = 'PartError';
  }
}

type Part = Readonly<Record<string, unknown>>;

interface Call {
  readonly id: string;
  text: string;
  open: boolean;
}

/** Reads parts of a stream into events. Parts are checked: packages differ in what they leave out. */
export class PartReader {
  /** By the id that the package uses. Calls that its service runs itself are null: they are dropped. */
  readonly #calls = new Map<string, Call | null>();
  readonly #ids: CallIds;
  #isCut = false;
  #isLastEmpty = false;
  #reason: FinishReason | null = null;
  #usage: ModelUsage | null = null;

  /** `ids` makes ids for calls without one. */
  constructor(ids: Ids) {
    this.#ids = new CallIds(ids);
  }

  /** Null until the stream reported its end, and for an error or a stream that broke off. */
  get ending() {
    return this.#reason === null ? null : { reason: this.#reason, stopSequence: null };
  }

  /** Null until the stream reported any. */
  get usage(): ModelUsage | null {
    return this.#usage;
  }

  /** Throws PartError for an `error` part. */
  read(part: unknown): ModelEvent[] {
    if (!isRecord(part)) return [];
    const id = textOf(part['id']);
    switch (part['type']) {
      case 'text-delta':
        return textOf(part['delta']) === '' ? [] : [{ type: 'text-delta', text: textOf(part['delta']) }];
      case 'reasoning-delta':
        return textOf(part['delta']) === '' ? [] : [{ type: 'reasoning-delta', text: textOf(part['delta']) }];
      case 'tool-input-start':
        return this.#start(id, part);
      case 'tool-input-delta':
        return this.#piece(id, textOf(part['delta']));
      case 'tool-call':
        return this.#whole(textOf(part['toolCallId']), part);
      case 'finish':
        return this.#finish(part);
      case 'error':
        throw new PartError(part['error']);
      default:
        return [];
    }
  }

  /** Ends calls that the stream left open. Throws Fault `bad_gateway` for one that was cut. */
  close(): ModelEvent[] {
    // A package ends every complete call.
    if ([...this.#calls.values()].some((call) => call?.open === true && !isWholeArguments(call.text)))
      throw cutArguments(this.#reason);
    if (this.#isCut || (this.#isLastEmpty && isLimit(this.#reason))) throw cutArguments(this.#reason);
    return [...this.#calls.values()].flatMap((call) => (call?.open === true ? this.#end(call) : []));
  }

  #start(id: string, part: Part): ModelEvent[] {
    // Its pieces are text and not JSON; the whole call that follows holds JSON.
    if (part['inputEncoding'] === 'text') return [];
    if (part['providerExecuted'] === true) {
      this.#calls.set(id, null);
      return [];
    }
    const before = this.#calls.get(id);
    const events = before?.open === true ? this.#end(before) : [];
    const call = { id: this.#ids.take(id), text: '', open: true };
    this.#calls.set(id, call);
    const signature = formatSignature(part['providerMetadata']);
    const name = textOf(part['toolName']);
    return [
      ...events,
      { type: 'tool-call-start', id: call.id, name, ...(signature !== undefined && { signature }) },
    ];
  }

  #piece(id: string, text: string): ModelEvent[] {
    const call = this.#calls.get(id);
    if (call?.open !== true || text === '') return [];
    call.text += text;
    return [{ type: 'tool-call-delta', id: call.id, arguments: text }];
  }

  /** A complete call. It repeats the pieces, or replaces them where the package sends none. */
  #whole(id: string, part: Part): ModelEvent[] {
    if (part['providerExecuted'] === true || this.#calls.get(id) === null) return [];
    const known = this.#calls.get(id);
    const events = known?.open === true ? [] : this.#start(id, { ...part, inputEncoding: 'json' });
    const call = this.#calls.get(id);
    if (call?.open !== true) return events;
    const pieces = call.text === '' ? this.#piece(id, toText(part['input'])) : [];
    return [...events, ...pieces, ...this.#end(call)];
  }

  #end(call: Call): ModelEvent[] {
    call.open = false;
    this.#isLastEmpty = call.text.trim() === '';
    this.#isCut ||= !this.#isLastEmpty && !isWholeArguments(call.text);
    const none: ModelEvent[] = this.#isLastEmpty
      ? [{ type: 'tool-call-delta', id: call.id, arguments: '{}' }]
      : [];
    return [...none, { type: 'tool-call-end', id: call.id }];
  }

  #finish(part: Part): ModelEvent[] {
    this.#reason = this.#toReason(part['finishReason']);
    if (!isRecord(part['usage'])) return [];
    this.#usage = toUsage(part['usage']);
    return this.#usage === null ? [] : [{ type: 'usage', usage: this.#usage }];
  }

  #toReason(reported: unknown): FinishReason | null {
    const { unified, raw } = isRecord(reported) ? reported : {};
    switch (unified) {
      case 'length':
      case 'content-filter':
        return unified;
      case 'stop':
      case 'tool-calls':
        return this.#ids.hasAny ? 'tool-calls' : 'end';
      case 'other':
        // Without a raw reason it is how older packages report a stream that broke off.
        if (typeof raw !== 'string') return null;
        if (filtered.test(raw)) return 'content-filter';
        return this.#ids.hasAny ? 'tool-calls' : 'end';
      default:
        return null;
    }
  }
}

/** Words of services for a content filter that not every package knows. */
const filtered = /content_?filter|refus|safety|moderation/i;

/** Null where the package reports no count. */
function toUsage({ inputTokens, outputTokens }: Part): ModelUsage | null {
  const input = isRecord(inputTokens) ? inputTokens : {};
  const output = isRecord(outputTokens) ? outputTokens : {};
  if (readCount(input['total']) === null && readCount(output['total']) === null) return null;
  const cacheRead = readCount(input['cacheRead']) ?? 0;
  const cacheWrite = readCount(input['cacheWrite']) ?? 0;
  const rest = Math.max(0, (readCount(input['total']) ?? 0) - cacheRead - cacheWrite);
  const total = readCount(output['total']) ?? 0;
  return {
    input: readCount(input['noCache']) ?? rest,
    output: total,
    cacheRead,
    cacheWrite,
    reasoning: Math.min(total, readCount(output['reasoning']) ?? 0),
  };
}

/** Older packages give an object. */
function toText(input: unknown): string {
  return isRecord(input) ? JSON.stringify(input) : textOf(input);
}

function isRecord(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}
