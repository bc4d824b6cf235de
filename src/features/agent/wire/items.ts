import type { Citation } from '../events.ts';
import type { Source, ToolItem, ToolProgress } from '../../tools/feature.ts';

/** A search result on the wire. What is not known is absent. Contract 7.5. */
export function toSearchResult({ id, url, title, snippet, date, lastUpdated }: Source) {
  return {
    id,
    url,
    title,
    snippet,
    source: 'web' as const,
    ...(date === null ? {} : { date }),
    ...(lastUpdated === null ? {} : { last_updated: lastUpdated }),
  };
}

export function toAnnotation({ start, end, url, title }: Citation) {
  return { type: 'url_citation' as const, start_index: start, end_index: end, url, title };
}

/** What a tool did, as an output item. `fileUrl` is where a shared file is read. */
export function toOutputItem(item: ToolItem, fileUrl: (fileId: string) => string) {
  switch (item.type) {
    case 'search':
      return { type: 'search_results', queries: item.queries, results: item.results.map(toSearchResult) };
    case 'people':
      return {
        type: 'people_search_results',
        queries: item.queries,
        results: item.results.map(toSearchResult),
      };
    case 'pages':
      return { type: 'fetch_url_results', contents: item.contents };
    case 'finance': {
      const { categories, tickers, results } = item;
      return { type: 'finance_results', categories, tickers, results };
    }
    case 'sandbox':
      return toSandboxItem(item);
    case 'shared-file': {
      const { callId, fileId, file } = item;
      return {
        type: 'share_file',
        call_id: callId,
        file_id: fileId,
        filename: file.path,
        size_bytes: file.bytes.byteLength,
        url: fileUrl(fileId),
      };
    }
    case 'skill':
      return { type: 'skill_loaded', name: item.name };
  }
}

function toSandboxItem({
  callId,
  containerId,
  language,
  code,
  result,
}: Extract<ToolItem, { type: 'sandbox' }>) {
  const { status, stdout, stderr, exitCode, durationMs } = result;
  const told = { stdout, stderr, exit_code: exitCode, duration_ms: Math.round(durationMs) };
  return {
    type: 'sandbox_results',
    call_id: callId,
    container_id: containerId,
    language,
    code,
    status,
    results: [{ ...told, status }],
    ...told,
  };
}

/** What a tool tells while it works: the name of the event and what it holds beside the thought. */
export function toProgressEvent(progress: ToolProgress): {
  readonly event: string;
  readonly payload: object;
  readonly hasThought: boolean;
} {
  switch (progress.type) {
    case 'search-queries':
      return reasoning('search_queries', { queries: progress.queries });
    case 'search-results':
      return reasoning('search_results', { results: progress.results.map(toSearchResult) });
    case 'page-urls':
      return reasoning('fetch_url_queries', { urls: progress.urls });
    case 'page-contents':
      return reasoning('fetch_url_results', { contents: progress.contents });
    case 'skill':
      return { event: 'response.skill.loaded', payload: { name: progress.name }, hasThought: false };
  }
}

function reasoning(name: string, payload: object) {
  return { event: `response.reasoning.${name}`, payload, hasThought: true };
}
