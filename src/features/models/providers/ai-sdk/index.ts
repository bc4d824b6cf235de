import { Agent, fetch } from 'undici';
import type { OfferedModel, Provider } from '../../model.ts';
import type { RemoteDependencies, RemoteOptions } from '../../remote-server.ts';
import { loadPackage, type CreateModel, type LanguageModel } from './load.ts';
import { BridgedModel, type ModelDependencies } from './model.ts';

export interface AiSdkOptions extends Omit<RemoteOptions, 'baseUrl' | 'models'> {
  /** npm name of the provider package. */
  readonly package: string;
  /** Null: the package's own. */
  readonly baseUrl: string | null;
  readonly models: readonly string[];
  /** Folders in which the package is searched, in order, before Nestor's own. */
  readonly folders: readonly string[];
}

const responseBytesMax = 67_108_864;

/** Models of a provider package of the AI SDK. Throws an Error for the operator when it cannot be used. */
export async function openAiSdk(
  options: AiSdkOptions,
  { clock, ids, random = Math.random }: Omit<RemoteDependencies, 'outbound'>,
): Promise<Provider> {
  const { name, baseUrl, key, headers, timeoutMs, totalTimeoutMs } = options;
  const connection = openPackageFetch({ responseBytesMax, connectionsMax: 256 });
  try {
    const create = await loadPackage(options.package, options.folders, {
      name,
      headers,
      fetch: connection.fetch,
      ...(key !== null && { apiKey: key }),
      ...(baseUrl !== null && { baseURL: baseUrl, url: baseUrl }),
    });
    const dependencies = { clock, ids, random, timeoutMs, totalTimeoutMs };
    const models = await Promise.all(options.models.map((model) => toOffered(model, create, dependencies)));
    return {
      name,
      type: 'ai-sdk',
      models: () => models,
      // The interface has no list of models, and nothing else that could be asked without a cost.
      health: () => 'ok',
      refresh: () => Promise.resolve(),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function toOffered(
  name: string,
  create: CreateModel,
  dependencies: Omit<ModelDependencies, 'documents'>,
): Promise<OfferedModel> {
  const made = create(name);
  const model = new BridgedModel(name, made, { ...dependencies, documents: await readsDocuments(made) });
  return { model, created: 0, ownedBy: '', price: null, router: true };
}

async function readsDocuments(made: LanguageModel): Promise<boolean> {
  const types = Object.keys((await made.supportedUrls) ?? {});
  return types.some((type) => ['application/pdf', 'application/*', '*/*', '*'].includes(type));
}

interface PackageFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

interface FetchOptions {
  /** Largest response, decoded. */
  readonly responseBytesMax: number;
  /** Connections kept per origin. */
  readonly connectionsMax: number;
}

/** The `fetch` for packages: without redirects, with which a key would travel, and with a bound on the response. */
function openPackageFetch({ responseBytesMax, connectionsMax }: FetchOptions): PackageFetch {
  const dispatcher = new Agent({ connections: connectionsMax, headersTimeout: 0, bodyTimeout: 0 });
  const capped = async (input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]) => {
    const response = await fetch(input, { ...init, dispatcher, redirect: 'manual' });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(cap(response.body as ReadableStream<Uint8Array>, responseBytesMax), {
      status,
      statusText,
      headers: [...headers],
    });
  };
  // The types of undici and of Node describe one thing twice.
  return { fetch: capped as typeof globalThis.fetch, close: () => dispatcher.destroy() };
}

function cap(body: ReadableStream<Uint8Array>, bytesMax: number): ReadableStream<Uint8Array> {
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > bytesMax) controller.error(new Error(`more than ${bytesMax} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
}
