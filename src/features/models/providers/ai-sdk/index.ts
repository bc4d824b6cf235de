import type { Clock } from '../../../../kernel/kit/clock.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { OfferedModel, Provider } from '../../model.ts';
import { openPackageFetch } from './fetch.ts';
import { loadPackage, type CreateModel, type LanguageModel } from './load.ts';
import { createBridgedModel, type ModelParts } from './model.ts';

export interface AiSdkOptions {
  readonly name: string;
  /** npm name of the provider package. */
  readonly package: string;
  /** Null: the package's own. */
  readonly baseUrl: string | null;
  /** Null: the package looks into its own environment variable. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly string[];
  /** Longest wait for the first part of an answer, and between any two. Unit: ms. */
  readonly timeoutMs: number;
  /** Longest duration of an answer. Unit: ms. */
  readonly totalTimeoutMs: number;
  /** Where the package is looked for, in order, before Nestor's own folder. */
  readonly folders: readonly string[];
}

export interface AiSdkParts {
  readonly clock: Clock;
  /** For calls that the package leaves without an id. */
  readonly ids: Ids;
  /** In [0, 1). Spreads retries only; no answer depends on it. */
  readonly random?: () => number;
}

const responseBytesMax = 67_108_864;

/**
 * Models of any provider package of the AI SDK, which is loaded by its name. Throws an Error for the operator when the package cannot be used.
 */
export async function openAiSdk(
  options: AiSdkOptions,
  { clock, ids, random = Math.random }: AiSdkParts,
): Promise<Provider> {
  const { name, baseUrl, key, headers, timeoutMs, totalTimeoutMs } = options;
  const way = openPackageFetch({ responseBytesMax, connectionsMax: 256 });
  try {
    const create = await loadPackage(options.package, options.folders, {
      name,
      headers,
      fetch: way.fetch,
      ...(key !== null && { apiKey: key }),
      ...(baseUrl !== null && { baseURL: baseUrl, url: baseUrl }),
    });
    const parts = { clock, ids, random, timeoutMs, totalTimeoutMs };
    const models = await Promise.all(options.models.map((model) => toOffered(model, create, parts)));
    return {
      name,
      type: 'ai-sdk',
      models: () => models,
      // The interface has no list of models, and nothing else that could be asked without a cost.
      health: () => 'ok',
      refresh: () => Promise.resolve(),
      close: () => way.close(),
    };
  } catch (error) {
    await way.close();
    throw error;
  }
}

async function toOffered(
  name: string,
  create: CreateModel,
  parts: Omit<ModelParts, 'documents'>,
): Promise<OfferedModel> {
  const made = create(name);
  const model = createBridgedModel(name, made, { ...parts, documents: await readsDocuments(made) });
  return { model, created: 0, ownedBy: '', price: null, router: true };
}

async function readsDocuments(made: LanguageModel): Promise<boolean> {
  const types = Object.keys((await made.supportedUrls) ?? {});
  return types.some((type) => ['application/pdf', 'application/*', '*/*', '*'].includes(type));
}
