import type { ModelRequest } from '../../model.ts';
import { RemoteServer, type RemoteDependencies, type RemoteOptions } from '../../remote-server.ts';
import { isOfModel, readRefusal } from './refusal.ts';
import { toRequest } from './request.ts';
import type { Traits } from './traits.ts';

const wireVersion = '2023-06-01';

/** One server, and what its refusals have shown about its models. */
export class Server extends RemoteServer<Partial<Traits>> {
  constructor(options: RemoteOptions, dependencies: Omit<RemoteDependencies, 'ids'>) {
    const wire = { path: '/messages', headers: toHeaders(options), refusals: [400], rewritesMax: 4 };
    super(options, dependencies, wire);
  }

  /** The listed traits of a model, corrected by refusals. */
  traitsFor(model: string, listed: Traits): Traits {
    return { ...listed, ...this.known(model) };
  }

  stream(model: string, listed: Traits, request: ModelRequest, signal: AbortSignal) {
    // Of this request alone.
    let once: Partial<Traits> = {};
    const traitsBy = (known: Partial<Traits>): Traits => ({ ...listed, ...known, ...once });
    return this.ask(
      model,
      {},
      (known) => toRequest(model, traitsBy(known), request),
      (refusal, { body }, known) => {
        const found = readRefusal(refusal, body, traitsBy(known));
        if (found === null) return null;
        if (isOfModel(refusal)) return { ...known, ...found };
        once = { ...once, ...found };
        return known;
      },
      signal,
      ({ betas }) => (betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : null),
    );
  }
}

/** Names are compared without case, so that an operator's own header replaces ours instead of standing beside it. */
function toHeaders({ key, headers }: RemoteOptions): Readonly<Record<string, string>> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'anthropic-version': wireVersion,
    ...(key !== null && { 'x-api-key': key }),
    ...Object.fromEntries(own),
  };
}
