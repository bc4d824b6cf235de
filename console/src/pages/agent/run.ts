import type { Source } from '../../parts/answers/source-list.tsx';
import type { AgentEvent, AgentResponse, FunctionCallItem, OutputItem } from './wire.ts';

/** Progress of a running tool; replaced by its output item. */
export interface Progress {
  readonly kind: 'thought' | 'search' | 'found' | 'fetch' | 'read' | 'skill';
  readonly texts: readonly string[];
}

/** A response as far as it was received. */
export interface Run {
  /** What it was asked; null where it was opened by its id. */
  readonly input: string | null;
  /** Null until the first event has come. */
  readonly response: Omit<AgentResponse, 'output'> | null;
  /** By their place in the output; some may not have come yet. */
  readonly items: readonly (OutputItem | undefined)[];
  readonly progress: readonly Progress[];
  /** Of the last event that came; -1 before the first. */
  readonly sequence: number;
}

export function createRun(input: string | null): Run {
  return { input, response: null, items: [], progress: [], sequence: -1 };
}

/** A stored response, and one that has ended. */
export function toRun(response: AgentResponse, input: string | null): Run {
  const { output, ...rest } = response;
  return { ...createRun(input), response: rest, items: output };
}

/** The run after one event. An event that came already changes nothing. */
export function addEvent(run: Run, event: AgentEvent): Run {
  if (event.sequence_number <= run.sequence) return run;
  const next = { ...run, sequence: event.sequence_number };
  const { output_index: index, item } = event;
  switch (event.type) {
    case 'response.created':
    case 'response.in_progress':
      return event.response === undefined ? next : { ...next, response: withoutOutput(event.response) };
    case 'response.completed':
    case 'response.failed':
      if (event.response === undefined) return next;
      return { ...toRun(event.response, run.input), sequence: next.sequence };
    case 'response.output_item.added':
    case 'response.output_item.done':
      if (index === undefined || item === undefined) return next;
      return { ...next, items: put(run.items, index, item), progress: [] };
    case 'response.output_text.delta':
    case 'response.function_call_arguments.delta':
      return index === undefined ? next : { ...next, items: grow(run.items, index, event.delta ?? '') };
    default:
      return { ...next, progress: [...run.progress, ...toProgress(event)] };
  }
}

function withoutOutput({ output: _output, ...rest }: AgentResponse): Omit<AgentResponse, 'output'> {
  return rest;
}

function put(items: Run['items'], index: number, item: OutputItem): Run['items'] {
  const all = [...items];
  all[index] = item;
  return all;
}

function grow(items: Run['items'], index: number, delta: string): Run['items'] {
  const item = items[index];
  if (item?.type === 'function_call')
    return put(items, index, { ...item, arguments: item.arguments + delta });
  if (item?.type !== 'message') return items;
  const text = (item.content[0]?.text ?? '') + delta;
  return put(items, index, { ...item, content: [{ text, annotations: [] }] });
}

function toProgress(event: AgentEvent): readonly Progress[] {
  const pages = (found: readonly { readonly title: string; readonly url: string }[] = []) =>
    found.map(({ title, url }) => (title === '' ? url : title));
  switch (event.type) {
    case 'response.reasoning.started':
      return event.thought === undefined || event.thought === ''
        ? []
        : [{ kind: 'thought', texts: [event.thought] }];
    case 'response.reasoning.search_queries':
      return [{ kind: 'search', texts: event.queries ?? [] }];
    case 'response.reasoning.search_results':
      return [{ kind: 'found', texts: pages(event.results) }];
    case 'response.reasoning.fetch_url_queries':
      return [{ kind: 'fetch', texts: event.urls ?? [] }];
    case 'response.reasoning.fetch_url_results':
      return [{ kind: 'read', texts: pages(event.contents) }];
    case 'response.skill.loaded':
      return [{ kind: 'skill', texts: [event.name ?? ''] }];
    default:
      return [];
  }
}

export function isUnderWay({ response }: Run): boolean {
  return response === null || response.status === 'in_progress';
}

export interface ReadOutput {
  /** Everything but the answer, in its order. */
  readonly steps: readonly OutputItem[];
  /** The text that a run ends with, or has come to so far. */
  readonly answer: string;
  readonly sources: readonly Source[];
  /** Functions that the run waits for. */
  readonly calls: readonly FunctionCallItem[];
}

export function readOutput({ items, response }: Run): ReadOutput {
  const all = items.filter((item) => item !== undefined);
  const last = all.findLastIndex(({ type }) => type === 'message');
  // A text that tools follow was not the last word.
  const isLast = last >= 0 && all.slice(last + 1).every(({ type }) => type === 'function_call');
  const answer = isLast ? all[last] : undefined;
  return {
    steps: all.filter((item) => item !== answer),
    answer: answer?.type === 'message' ? textOf(answer) : '',
    sources: sourcesOf(all),
    calls: response?.status === 'requires_action' ? all.filter((item) => item.type === 'function_call') : [],
  };
}

export function textOf(item: Extract<OutputItem, { type: 'message' }>): string {
  return item.content.map(({ text }) => text).join('');
}

/** Pages that were found have their number; those that were only read get it from the marks of the text. */
function sourcesOf(items: readonly OutputItem[]): readonly Source[] {
  const sources = new Map<number, Source>();
  for (const item of items) {
    if (item.type !== 'search_results' && item.type !== 'people_search_results') continue;
    for (const { id, url, title, snippet, date } of item.results)
      if (!sources.has(id)) sources.set(id, { number: id, url, title, snippet, date: date ?? null });
  }
  for (const item of items) {
    if (item.type !== 'message') continue;
    for (const { text, annotations } of item.content)
      for (const { start_index: start, end_index: end, url, title } of annotations) {
        const number = Number(text.slice(start + 1, end - 1));
        if (Number.isInteger(number) && !sources.has(number))
          sources.set(number, { number, url, title, snippet: '', date: null });
      }
  }
  return [...sources.values()].sort((a, b) => a.number - b.number);
}
