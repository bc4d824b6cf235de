import type { AgentEvent } from '../../events.ts';
import type { RunFile } from '../../run-store.ts';
import type { Source, ToolItem, ToolProgress } from '../../../tools/feature.ts';
import type { EventWriter } from '../event-writer.ts';
import type { EncoderOptions } from '../run-encoder.ts';
import { McpItems } from './mcp-items.ts';

type Queries = readonly string[];
type Outcome = Extract<ToolItem, { type: 'search' | 'people' }>;

interface OpenSearch {
  readonly id: string;
  readonly index: number;
  readonly queries: Queries;
}

export interface ToolItemOptions extends Pick<EncoderOptions, 'ids' | 'tools' | 'fileUrl'> {
  /** Ids of questions that the caller answered with yes: those of the calls that follow. */
  readonly approvals: ReadonlySet<string>;
}

/** Writes what tools of the server did as the items in which OpenAI tells of its own. */
export class ToolItems {
  readonly #writer: EventWriter;
  readonly #options: ToolItemOptions;
  readonly #mcp: McpItems;
  #searches: readonly OpenSearch[] = [];
  #found: readonly Source[] = [];

  constructor(writer: EventWriter, options: ToolItemOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#mcp = new McpItems(writer, options.ids, options.approvals);
  }

  begin(progress: ToolProgress): void {
    switch (progress.type) {
      case 'search-queries':
        this.#searches = [...this.#searches, this.#beginSearch(progress.queries)];
        return;
      case 'mcp-list':
        return this.#mcp.beginList(progress);
      case 'mcp-call':
        return this.#mcp.beginCall(progress);
      default:
    }
  }

  /** The file of the response that an item announces comes back. */
  end(result: ToolItem): RunFile | undefined {
    switch (result.type) {
      case 'search':
        this.#endSearch(result);
        return undefined;
      case 'pages':
        for (const { url } of result.contents)
          this.#writeWhole('ws', 'web_search_call', { action: { type: 'open_page', url } });
        return undefined;
      case 'sandbox': {
        const { code, containerId: container_id, result: ran } = result;
        const logs = [ran.stdout, ran.stderr].filter((text) => text !== '').join('\n');
        const outputs = logs === '' ? [] : [{ type: 'logs', logs }];
        this.#writeWhole('ci', 'code_interpreter_call', { code, container_id, outputs });
        return undefined;
      }
      case 'mcp-list':
        this.#mcp.endList(result);
        return undefined;
      case 'mcp-call':
        this.#mcp.endCall(result);
        return undefined;
      case 'mcp-approval':
        this.#mcp.ask(result);
        return undefined;
      case 'people':
        this.#endSearch(result);
        return this.#writeOwn(result);
      default:
        return this.#writeOwn(result);
    }
  }

  /** As the house tells of it: OpenAI has no item of the kind. */
  #writeOwn(result: ToolItem): RunFile | undefined {
    const { item, file } = this.#options.tools.toOutputItem(result, this.#options.fileUrl);
    this.#writer.end(this.#writer.begin(item), item, null);
    return file;
  }

  /** What searches found since it was asked for. */
  takeFound(): readonly Source[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Searches without a result, once the results of their step have come. */
  endFailed({ type }: AgentEvent): void {
    if (type === 'progress' || type === 'tools-end' || this.#searches.length === 0) return;
    for (const { id, index, queries } of this.#searches)
      this.#writer.end(index, toSearchItem(id, 'failed', queries, []), id);
    this.#searches = [];
  }

  #beginSearch(queries: Queries): OpenSearch {
    const id = `ws_${this.#options.ids.uuid()}`;
    const index = this.#writer.begin(toSearchItem(id, 'in_progress', queries, []));
    const place = { item_id: id, output_index: index };
    this.#writer.emit('response.web_search_call.in_progress', place);
    this.#writer.emit('response.web_search_call.searching', place);
    return { id, index, queries };
  }

  #endSearch({ queries, results }: Outcome): void {
    const open = this.#searches.find((one) => one.queries === queries) ?? this.#beginSearch(queries);
    this.#searches = this.#searches.filter((one) => one !== open);
    const { id, index } = open;
    this.#found = [...this.#found, ...results];
    this.#writer.emit('response.web_search_call.completed', { item_id: id, output_index: index });
    const sources = results.map(({ url }) => ({ type: 'url', url }));
    this.#writer.end(index, toSearchItem(id, 'completed', queries, sources), id);
  }

  #writeWhole(prefix: string, type: string, fields: object): void {
    const id = `${prefix}_${this.#options.ids.uuid()}`;
    const item = { type, id, ...fields };
    const index = this.#writer.begin({ ...item, status: 'in_progress' });
    const place = { item_id: id, output_index: index };
    this.#writer.emit(`response.${type}.in_progress`, place);
    this.#writer.emit(`response.${type}.completed`, place);
    this.#writer.end(index, { ...item, status: 'completed' }, id);
  }
}

function toSearchItem(id: string, status: string, queries: Queries, sources: readonly object[]) {
  const action = { type: 'search', query: queries[0] ?? '', queries, sources };
  return { type: 'web_search_call', id, status, action };
}
