import { awaitFirstOutput } from '../../src/features/models/first-output.ts';
import type {
  Capabilities,
  FinishReason,
  ModelEvent,
  ModelRequest,
  ModelUsage,
} from '../../src/features/models/model.ts';
import type { CatalogEntry, Models } from '../../src/features/models/registry.ts';

export type Batch = readonly ModelEvent[];
export type Script = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<Batch>;

export interface ScriptedModel extends Partial<Omit<CatalogEntry, 'id' | 'capabilities'>> {
  readonly capabilities?: Partial<Capabilities>;
  readonly answer: Script;
  readonly count?: (request: ModelRequest) => Promise<number>;
}

export interface ScriptedModels extends Models {
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
}

export const everything: Capabilities = {
  tools: true,
  jsonSchema: true,
  images: true,
  documents: true,
  reasoning: true,
  prefill: true,
  generates: true,
};

/** Models in memory that answer as they are told, by `provider/model`; `aliases` are further names. */
export function scriptedModels(
  models: Readonly<Record<string, ScriptedModel | Script>>,
  aliases: Readonly<Record<string, string>> = {},
): ScriptedModels {
  const requests: ModelRequest[] = [];
  const toModel = (id: string): ScriptedModel | null => {
    const model = Object.hasOwn(models, id) ? models[id] : undefined;
    if (model === undefined) return null;
    return typeof model === 'function' ? { answer: model } : model;
  };
  const resolve = (name: string) => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name);
  const find = (name: string): CatalogEntry | null => {
    const id = resolve(name);
    const model = toModel(id);
    return model === null ? null : toEntry(id, model);
  };
  return {
    requests,
    list: () =>
      Object.keys(models)
        .sort()
        .flatMap((id) => find(id) ?? []),
    find,
    async open([name = ''], request, signal) {
      const entry = find(name);
      const model = toModel(resolve(name));
      if (entry === null || model === null) throw new Error(`nothing is named ${name}`);
      requests.push(request);
      return { name, entry, events: await awaitFirstOutput(model.answer(request, signal)) };
    },
    async countTokens(name, request) {
      requests.push(request);
      return (await toModel(resolve(name))?.count?.(request)) ?? 7;
    },
    rests: () => false,
    isAvailable: () => true,
    prices: () => 'default' as const,
    health: () => 'ok',
  };
}

function toEntry(
  id: string,
  { capabilities, answer: _answer, count: _count, ...more }: ScriptedModel,
): CatalogEntry {
  return {
    id,
    displayName: id.slice(id.indexOf('/') + 1),
    created: 1_700_000_000,
    ownedBy: id.slice(0, id.indexOf('/')),
    price: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 },
    capabilities: { ...everything, ...capabilities },
    contextTokensMax: null,
    router: true,
    ...more,
  };
}

export const usage: ModelUsage = { input: 11, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 };

export const text = (piece: string): ModelEvent => ({ type: 'text-delta', text: piece });
export const finish = (reason: FinishReason = 'end', stopSequence: string | null = null): Batch => [
  { type: 'usage', usage },
  { type: 'finish', reason, stopSequence },
];

/** A call of a tool, its arguments in pieces. */
export function call(id: string, name: string, ...pieces: readonly string[]): Batch {
  return [
    { type: 'tool-call-start', id, name },
    ...pieces.map((piece): ModelEvent => ({ type: 'tool-call-delta', id, arguments: piece })),
    { type: 'tool-call-end', id },
  ];
}

/** Batches as they stand, one after the other, as a backend's packets come. */
export function says(...batches: readonly Batch[]): Script {
  return async function* answer(_request, signal) {
    for (const batch of batches) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      yield batch;
    }
  };
}

/** Batches, then a failure. */
export function breaks(error: Error, ...batches: readonly Batch[]): Script {
  return async function* answer(request, signal) {
    yield* says(...batches)(request, signal);
    throw error;
  };
}
