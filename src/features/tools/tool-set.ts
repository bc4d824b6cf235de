import type { TObject } from 'typebox';
import type { ToolContext, ToolDefinition, ToolDependencies } from './define-tool.ts';
import type { Tool, ToolItem, ToolProgress } from './tool.ts';

/** A tool as a request asks for it. */
export interface ToolRequest {
  readonly tool: ToolDefinition;
  readonly options: unknown;
}

/** The declarations of tools, and everything that the API takes from them. */
export class ToolSet {
  readonly definitions: readonly ToolDefinition[];
  /** Schemas of the objects by which callers ask for tools, by the names of the tools. */
  readonly requests: ReadonlyMap<string, TObject>;
  /** Names by which callers, models and bills know tools; functions of callers may have none of them. */
  readonly reservedNames: ReadonlySet<string>;
  /** Types of output items on the wire. */
  readonly itemTypes: ReadonlySet<string>;
  /** Names of events on the wire. */
  readonly eventNames: ReadonlySet<string>;
  readonly #items: ReadonlyMap<string, ToolDefinition['items'][string]>;
  readonly #progress: ReadonlyMap<string, ToolDefinition['progress'][string]>;

  constructor(definitions: readonly ToolDefinition[]) {
    this.definitions = definitions;
    this.requests = new Map(
      definitions.flatMap(({ name, request }) => (request === null ? [] : [[name, request] as const])),
    );
    this.reservedNames = new Set(
      definitions.flatMap(({ name, price }) => (price === null ? [name] : [name, price.name])),
    );
    this.#items = new Map(definitions.flatMap(({ items }) => Object.entries(items)));
    this.#progress = new Map(definitions.flatMap(({ progress }) => Object.entries(progress)));
    this.itemTypes = new Set([...this.#items.values()].map(({ type }) => type));
    this.eventNames = new Set([...this.#progress.values()].map(({ event }) => event));
  }

  find(name: string): ToolDefinition | undefined {
    return this.definitions.find((one) => one.name === name);
  }

  /** The output item of a result on the wire, and the file that it announces. */
  toOutputItem(item: ToolItem, fileUrl: (fileId: string) => string) {
    const { convert, fileOf } = found(this.#items, item.type);
    // Declared for exactly this type.
    return { item: convert(item as never, fileUrl), file: fileOf?.(item as never) };
  }

  /** The event of progress on the wire. `thought` is that of the model which called the tool. */
  toEvent(progress: ToolProgress, thought: string): { readonly event: string; readonly payload: object } {
    const { event, hasThought, convert } = found(this.#progress, progress.type);
    const payload = convert(progress as never);
    return { event, payload: hasThought ? { ...payload, thought } : payload };
  }
}

function found<Value>(values: ReadonlyMap<string, Value>, type: string): Value {
  const value = values.get(type);
  if (value === undefined) throw new Error(`no tool declares "${type}"`);
  return value;
}

/** The tools of one run, in the order of the requests. Those that are not available are left out. */
export function createTools(
  requests: readonly ToolRequest[],
  dependencies: ToolDependencies,
  context: ToolContext,
): readonly Tool[] {
  return requests.flatMap(({ tool, options }) => tool.open(options, dependencies, context) ?? []);
}
