import { Agent, fetch } from 'undici';
import type { OfferedModel, Provider } from '../../model.ts';
import type { RemoteDependencies, RemoteOptions } from '../../remote-server.ts';
import { loadPackage, type LanguageModel } from './load.ts';
import { BridgedModel } from './model.ts';

export interface AiSdkOptions extends Omit<RemoteOptions, 'baseUrl' | 'models'> {
  readonly package: string;
  /** Null: the package's own. */
  readonly baseUrl: string | null;
  readonly models: readonly string[];
  /** Folders in which the package is searched, in order, before Nestor's own. */
  readonly folders: readonly string[];
}

const connectionsMax = 256;
/** Largest response, decoded. */
const responseBytesMax = 67_108_864;

/** Models of a provider package of the AI SDK. Throws an Error for the operator when it cannot be used. */
export async function openAiSdk(
  options: AiSdkOptions,
  { clock, ids, random = Math.random }: Omit<RemoteDependencies, 'outbound'>,
): Promise<Provider> {
  const { name, baseUrl, key, headers, timeoutMs, totalTimeoutMs } = options;
  const agent = new Agent({ connections: connectionsMax, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const create = await loadPackage(options.package, options.folders, {
      name,
      headers,
      fetch: createFetch(agent),
      ...(key !== null && { apiKey: key }),
      ...(baseUrl !== null && { baseURL: baseUrl, url: baseUrl }),
    });
    const toOffered = async (model: string): Promise<OfferedModel> => {
      const made = create(model);
      const documents = await readsDocuments(made);
      const dependencies = { clock, ids, random, timeoutMs, totalTimeoutMs, documents };
      const bridged = new BridgedModel(model, made, dependencies);
      return { model: bridged, created: 0, ownedBy: '', price: null, router: true };
    };
    const models = await Promise.all(options.models.map(toOffered));
    return {
      name,
      type: 'ai-sdk',
      models: () => models,
      // The interface has no list of models, and nothing else that could be asked without a cost.
      health: () => 'ok',
      refresh: () => Promise.resolve(),
      close: () => agent.destroy(),
    };
  } catch (error) {
    await agent.destroy();
    throw error;
  }
}

async function readsDocuments(made: LanguageModel): Promise<boolean> {
  const types = Object.keys((await made.supportedUrls) ?? {});
  return types.some((type) => ['application/pdf', 'application/*', '*/*', '*'].includes(type));
}

/** The `fetch` for packages: without redirects, with which a key would travel, and with a bound on the response. */
function createFetch(dispatcher: Agent): typeof globalThis.fetch {
  const capped = async (input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]) => {
    const response = await fetch(input, { ...init, dispatcher, redirect: 'manual' });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = (response.body as ReadableStream<Uint8Array>).pipeThrough(createCap());
    return new Response(body, { status, statusText, headers: [...headers] });
  };
  // The types of undici and of Node describe one thing twice.
  return capped as typeof globalThis.fetch;
}

function createCap(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > responseBytesMax) controller.error(new Error(`more than ${responseBytesMax} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
