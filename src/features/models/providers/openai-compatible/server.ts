import { withoutEndSlashes } from '../../../../kernel/kit/text.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { ModelRequest } from '../../model.ts';
import { RemoteServer, type RemoteDependencies, type RemoteOptions } from '../../remote-server.ts';
import type { CallBeside } from './details.ts';
import { familyOfUrl, quirksOf, type Quirks, type ServerFamily } from './quirks.ts';
import {
  isLimitBeyondContext,
  noCompatibility,
  readRefusal,
  type CompatibilityCache,
  withoutDropped,
} from './refusal.ts';
import { toRequest } from './request.ts';

/** One server: what it is, and what its refusals have shown. */
export class Server extends RemoteServer<CompatibilityCache> {
  readonly #addressed: ServerFamily;
  #family: ServerFamily;

  constructor(options: RemoteOptions, dependencies: Omit<RemoteDependencies, 'ids'>) {
    const family = familyOfUrl(options.baseUrl);
    super(options, dependencies, {
      path: '/chat/completions',
      headers: toHeaders(options.key, options.headers, family),
      // The server of llama-cpp-python calls a field that it does not know its own failure.
      refusals: [400, 422, 500],
      rewritesMax: 6,
      isFinal: isOutOfCredit,
    });
    this.#addressed = family;
    this.#family = family;
  }

  quirksFor(model: string): Quirks {
    return this.#quirksWith(this.known(model));
  }

  /** Takes the family that the server's list of models names, unless its address names one. Returns the family in use. */
  recognize(listed: ServerFamily): ServerFamily {
    if (this.#addressed === 'unknown') this.#family = listed;
    return this.#family;
  }

  /** Begins an answer. Throws Fault; rejects with the signal's reason. */
  stream(model: string, request: ModelRequest, outputTokensMax: number | null, signal: AbortSignal) {
    let asked = request;
    const build = (known: CompatibilityCache) => {
      const quirks = this.#quirksWith(known);
      const most = Math.min(outputTokensMax ?? Infinity, known.outputTokensMax ?? Infinity);
      return { quirks, body: withoutDropped(toRequest(model, asked, quirks, most), known) };
    };
    return this.ask(
      model,
      noCompatibility,
      build,
      (refusal, { body }, known) => {
        if (asked.outputTokensMax === null || !isLimitBeyondContext(refusal))
          return readRefusal(refusal, body, known);
        // How much room there is depends on this prompt; without a limit the server fills what is left.
        asked = { ...asked, outputTokensMax: null };
        return known;
      },
      signal,
    );
  }

  /** Calls operations beside the versioned interface. */
  callBeside(timeoutMs: number, signal: AbortSignal): CallBeside {
    return (path, json) => this.call(besideVersion(this.baseUrl, path), json, timeoutMs, signal);
  }

  #quirksWith(known: CompatibilityCache | undefined): Quirks {
    const usual = quirksOf(this.#family);
    return known === undefined || known === noCompatibility ? usual : { ...usual, ...known.quirks };
  }
}

/** OpenAI answers 429 when an account has no credit left, and no wait helps. */
function isOutOfCredit(body: Json | null): boolean {
  return isJsonObject(body) && isJsonObject(body['error']) && body['error']['code'] === 'insufficient_quota';
}

/** The address of an operation beside the versioned interface: vLLM counts tokens there. */
export function besideVersion(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v\d+$/, '')}${path}`;
  return url.href;
}

/** The deployment in an address of Azure, which names the model there and nowhere else; null for other addresses. */
export function deploymentOf(baseUrl: string): string | null {
  const name = /\/deployments\/([^/]+)\/*$/.exec(new URL(baseUrl).pathname)?.[1];
  return name === undefined ? null : decodeURIComponent(name);
}

/** Headers with the credentials where the service expects them; headers of the operator win. */
export function toHeaders(
  key: string | null,
  headers: Readonly<Record<string, string>>,
  family: ServerFamily,
): Readonly<Record<string, string>> {
  if (key === null) return headers;
  return family === 'azure' ? { 'api-key': key, ...headers } : { authorization: `Bearer ${key}`, ...headers };
}
