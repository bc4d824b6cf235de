import type { ServerSentEvent } from '../../../../../kernel/kit/sse.ts';
import type { AgentEvent, RunMeter } from '../../../../agent/feature.ts';
import type { ToolItem } from '../../../../tools/feature.ts';
import {
  parseArguments,
  toMessage,
  toStop,
  brokenArguments,
  type MessageStart,
} from '../../messages/message.ts';
import { plainUsage, type ModelUsage } from '../../../../models/feature.ts';
import { BlockWriter } from './blocks.ts';
import { inSeal } from '../server-blocks.ts';

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type ServerTool = 'web_search' | 'web_fetch' | 'code_execution';

/** A use of a tool that has no result yet. */
interface OpenUse {
  readonly id: string;
  readonly tool: ServerTool;
  /** What it asked for: the queries of a search, or an address. */
  readonly key: unknown;
}

const caller = { type: 'direct' };
/** Text of a result that a later request brings back. Unit: UTF-16 units. */
const keptMax = 4_000;

export interface ServedOptions {
  readonly start: MessageStart;
  readonly meter: RunMeter;
  readonly onModel: (name: string) => void;
  readonly now: () => Date;
}

/** Tells of a run in the words of Anthropic: its own tools as tools of the server, those of the caller as calls. */
export class ServedMessage {
  readonly #options: ServedOptions;
  readonly #writer = new BlockWriter();
  readonly #sources = new Map<string, string>();
  #open: readonly OpenUse[] = [];
  #usage: EventOf<'usage'>['usage'] = { model: plainUsage(0, 0), tools: {} };
  #stop: ReturnType<typeof toStop> | null = null;
  #calls = 0;
  #hasBegun = false;

  constructor(options: ServedOptions) {
    this.#options = options;
  }

  push(batch: readonly AgentEvent[]): readonly ServerSentEvent[] {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { start } = this.#options;
      this.#writer.emit('message_start', { message: toMessage(start, plainUsage(0, 0)) });
      this.#writer.emit('ping', {});
    }
    for (const event of batch) this.#event(event);
    return this.#writer.take();
  }

  /** The whole of it, once it has ended. */
  message() {
    const message = toMessage(this.#options.start, this.#usage.model);
    return {
      ...message,
      content: this.#writer.content,
      ...this.#stop,
      usage: { ...message.usage, server_tool_use: this.#uses() },
    };
  }

  #event(event: AgentEvent): void {
    const { meter, onModel, start } = this.#options;
    if (event.type !== 'item' && event.type !== 'progress' && event.type !== 'tools-end') this.#endFailed();
    switch (event.type) {
      case 'model':
        return onModel(event.name);
      case 'tools-start':
        // What the model said before it called.
        if (event.thought !== '') this.#writer.text(event.thought);
        return;
      case 'progress':
        return this.#begin(event.progress);
      case 'item':
        return this.#item(event.item);
      case 'reasoning-delta':
        meter.observeText(event.text.length);
        if (start.thoughts === 'shown') this.#writer.think(event.text);
        return;
      case 'text-delta':
        meter.observeText(event.text.length);
        if (event.text !== '') this.#writer.text(event.text);
        return;
      case 'citation': {
        const { citation } = event;
        return this.#writer.cite(citation, this.#sources.get(citation.url) ?? citation.title);
      }
      case 'message-end':
        return this.#writer.end();
      case 'call-end':
        return this.#call(event);
      case 'usage':
        this.#usage = event.usage;
        return meter.observe(event.usage);
      case 'end':
        return this.#end(event);
      default:
    }
  }

  #begin(progress: EventOf<'progress'>['progress']): void {
    if (progress.type === 'search-queries') {
      const { queries } = progress;
      this.#use('web_search', queries, { query: queries.join('; ') });
    } else if (progress.type === 'page-urls')
      for (const url of progress.urls) this.#use('web_fetch', url, { url });
  }

  #use(tool: ServerTool, key: unknown, input: object): OpenUse {
    const use = { id: this.#options.start.newId('srvtoolu_'), tool, key };
    this.#writer.call({ type: 'server_tool_use', id: use.id, name: tool, input, caller });
    this.#open = [...this.#open, use];
    return use;
  }

  #item(item: ToolItem): void {
    switch (item.type) {
      case 'search': {
        const { queries, results } = item;
        for (const { url, text } of results) this.#sources.set(url, text);
        const content = results.map(({ url, title, text, date }) => ({
          type: 'web_search_result',
          url,
          title,
          encrypted_content: inSeal(text.slice(0, keptMax)),
          page_age: date,
        }));
        return this.#result('web_search', queries, content);
      }
      case 'pages':
        for (const { url, title, snippet } of item.contents) {
          this.#sources.set(url, snippet);
          const source = { type: 'text', media_type: 'text/plain', data: snippet };
          const document = { type: 'document', source, title, citations: null };
          const retrieved_at = this.#options.now().toISOString();
          this.#result('web_fetch', url, { type: 'web_fetch_result', url, retrieved_at, content: document });
        }
        return;
      case 'sandbox': {
        const { code, result } = item;
        this.#use('code_execution', code, { code });
        const { status, stdout, stderr, exitCode } = result;
        if (status === 'timed_out') return this.#fail('code_execution', code, 'execution_time_exceeded');
        const type = 'code_execution_result';
        return this.#result('code_execution', code, {
          type,
          stdout,
          stderr,
          return_code: exitCode ?? 1,
          content: [],
        });
      }
      default:
    }
  }

  #result(tool: ServerTool, key: unknown, content: object): void {
    const use = this.#open.find((one) => one.tool === tool && one.key === key);
    if (use === undefined) return;
    this.#open = this.#open.filter((one) => one !== use);
    this.#writer.whole({ type: `${tool}_tool_result`, tool_use_id: use.id, content, caller });
  }

  /** Uses without a result, once the results of their step have come. */
  #endFailed(): void {
    for (const { tool, key } of this.#open) {
      this.#fail(tool, key, tool === 'web_fetch' ? 'url_not_accessible' : 'unavailable');
    }
  }

  #fail(tool: ServerTool, key: unknown, error_code: string): void {
    this.#result(tool, key, { type: `${tool}_tool_result_error`, error_code });
  }

  #call({ callId, name, arguments: text, isCut }: EventOf<'call-end'>): void {
    if (isCut === true) return;
    const input = parseArguments(text);
    if (input === null) throw brokenArguments();
    this.#calls++;
    const { newId } = this.#options.start;
    const id = /^toolu_[0-9A-Za-z]{24}$/.test(callId) ? callId : newId('toolu_');
    this.#writer.call({ type: 'tool_use', id, name, input });
  }

  #end({ reason, stopSequence }: EventOf<'end'>): void {
    this.#writer.end();
    const known = reason === 'calls' ? 'tool-calls' : reason;
    this.#stop = toStop(
      { type: 'finish', reason: known, stopSequence },
      this.#calls > 0,
      this.#options.start.stop,
    );
    const { input, output, cacheRead, cacheWrite }: ModelUsage = this.#usage.model;
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      server_tool_use: this.#uses(),
    };
    this.#writer.emit('message_delta', { delta: this.#stop, usage });
    this.#writer.emit('message_stop', {});
  }

  #uses() {
    const count = (name: string) => this.#usage.tools[name]?.count ?? 0;
    return { web_search_requests: count('search_web'), web_fetch_requests: count('fetch_url') };
  }
}
