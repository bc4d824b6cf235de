import { Agent, fetch } from 'undici';

export interface PackageFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export interface FetchOptions {
  /** Of a response, decoded. */
  readonly responseBytesMax: number;
  /** Connections kept per origin. */
  readonly connectionsMax: number;
}

/**
 * The way out that packages are handed: redirects are not followed (a key would travel with them), and a response that
 * is too large breaks off. Deadlines are those of the call, by its signal.
 */
export function openPackageFetch({ responseBytesMax, connectionsMax }: FetchOptions): PackageFetch {
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
