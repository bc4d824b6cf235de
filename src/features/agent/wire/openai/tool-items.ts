import type { AgentEvent } from '../../events.ts';
import type { RunFile } from '../../run-store.ts';
import type { Source, SourceFile, ToolItem, ToolProgress } from '../../../tools/feature.ts';
import type { EventWriter } from '../event-writer.ts';
import type { EncoderOptions } from '../run-encoder.ts';
import { McpItems } from './mcp-items.ts';

type Queries = readonly string[];
type Outcome = Extract<ToolItem, { type: 'search' | 'people' }>;
type Files = Extract<ToolItem, { type: 'files' }>;

interface OpenSearch {
  readonly id: string;
  readonly index: number;
  readonly queries: Queries;
  readonly type: SearchType;
}

type SearchType = 'web_search_call' | 'file_search_call';

export interface ToolItemOptions extends Pick<EncoderOptions, 'ids' | 'tools' | 'fileUrl'> {
  /** Ids of questions that the caller answered with yes: those of the calls that follow. */
  readonly approvals: ReadonlySet<string>;
  /** Whether the caller wants to see what a search of files found. */
  readonly showsFiles: boolean;
}

/** Writes what tools of the server did as the items in which OpenAI tells of its own. */
export class ToolItems {
  readonly #writer: EventWriter;
  readonly #options: ToolItemOptions;
  readonly #mcp: McpItems;
  #searches: readonly OpenSearch[] = [];
  #found: readonly Source[] = [];
  readonly #files = new Map<string, SourceFile>();

  constructor(writer: EventWriter, options: ToolItemOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#mcp = new McpItems(writer, options.ids, options.approvals);
  }

  begin(progress: ToolProgress): void {
    switch (progress.type) {
      case 'search-queries':
        this.#searches = [...this.#searches, this.#beginSearch('web_search_call', progress.queries)];
        return;
      case 'file-queries':
        this.#searches = [...this.#searches, this.#beginSearch('file_search_call', progress.queries)];
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
      case 'files':
        this.#endFiles(result);
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

  /** The file at an address that a search of files found. */
  fileAt(url: string): SourceFile | undefined {
    return this.#files.get(url);
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
    for (const { id, index, queries, type: kind } of this.#searches)
      this.#writer.end(index, toSearchItem(kind, id, 'failed', queries), id);
    this.#searches = [];
  }

  #beginSearch(type: SearchType, queries: Queries): OpenSearch {
    const id = `${type === 'web_search_call' ? 'ws' : 'fs'}_${this.#options.ids.uuid()}`;
    const index = this.#writer.begin(toSearchItem(type, id, 'in_progress', queries));
    const place = { item_id: id, output_index: index };
    this.#writer.emit(`response.${type}.in_progress`, place);
    this.#writer.emit(`response.${type}.searching`, place);
    return { id, index, queries, type };
  }

  #endSearch({ queries, results }: Outcome): void {
    this.#found = [...this.#found, ...results];
    const sources = results.map(({ url }) => ({ type: 'url', url }));
    this.#complete('web_search_call', queries, { action: toAction(queries, sources) });
  }

  #endFiles({ queries, results }: Files): void {
    this.#found = [...this.#found, ...results];
    for (const file of results) this.#files.set(file.url, file);
    this.#complete('file_search_call', queries, {
      results: this.#options.showsFiles ? results.map(toFileResult) : null,
    });
  }

  #complete(type: SearchType, queries: Queries, more: object): void {
    const open = this.#searches.find((one) => one.queries === queries) ?? this.#beginSearch(type, queries);
    this.#searches = this.#searches.filter((one) => one !== open);
    const { id, index } = open;
    this.#writer.emit(`response.${type}.completed`, { item_id: id, output_index: index });
    this.#writer.end(index, { ...toSearchItem(type, id, 'completed', queries), ...more }, id);
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

function toSearchItem(type: SearchType, id: string, status: string, queries: Queries) {
  return type === 'web_search_call'
    ? { type, id, status, action: toAction(queries, []) }
    : { type, id, status, queries, results: null };
}

function toAction(queries: Queries, sources: readonly object[]) {
  return { type: 'search', query: queries[0] ?? '', queries, sources };
}

function toFileResult({ fileId, fileName, score, text, url, title }: SourceFile) {
  return { file_id: fileId, filename: fileName, score, text, attributes: { url, title } };
}
