import type { Provider } from '../../model.ts';
import {
  chooseModels,
  createOffer,
  endpointOf,
  type RemoteDependencies,
  type RemoteOptions,
} from '../../remote-server.ts';
import { withDetails } from './details.ts';
import { deploymentOf } from './server.ts';
import { fromListing, unlisted, type ListedModel } from './listing.ts';
import { createModel } from './model.ts';
import { Server } from './server.ts';

const listTimeoutMs = 10_000;

/**
 * A server with the chat-completions interface. Nothing is requested before `refresh`: a configured list is offered from
 * the start, and the server's own list adds sizes, prices, capabilities, and which server it is.
 */
export function openOpenAiCompatible(options: RemoteOptions, dependencies: RemoteDependencies): Provider {
  const { name, baseUrl } = options;
  const server = new Server(options, dependencies);
  const deployment = deploymentOf(baseUrl);
  const configured = options.models === '*' ? (deployment === null ? [] : [deployment]) : options.models;
  const offer = createOffer((listed: ListedModel) => {
    const { created, ownedBy, price } = listed;
    const model = createModel(listed, server, dependencies.ids);
    return { model, created, ownedBy: ownedBy ?? name, price, router: true };
  });
  let models = offer(configured.map(unlisted));
  return {
    name,
    type: 'openai-compatible',
    models: () => models,
    health: () => server.health(),
    async refresh(signal) {
      // A deployment has no list, and the list of its resource names models that the deployment does not run.
      if (deployment !== null) return;
      const listed = await list(server, options.models !== '*', signal);
      if (listed === null) return;
      const shown =
        options.models === '*'
          ? listed.filter((model) => !server.quirksFor(model.name).hidden?.test(model.name))
          : listed;
      models = offer(chooseModels(options.models, shown, unlisted));
    },
    close: () => server.close(),
  };
}

/** The models of a server; null without a usable list, in which case `health` says whether that matters. Never rejects. */
async function list(
  server: Server,
  isOptional: boolean,
  signal: AbortSignal,
): Promise<readonly ListedModel[] | null> {
  try {
    const url = endpointOf(server.baseUrl, '/models');
    const outcome = await server.call(url, null, listTimeoutMs, signal);
    if (!outcome.ok) {
      server.reportUnlisted(outcome);
      return null;
    }
    const listing = fromListing(outcome.body);
    server.report(listing !== null || isOptional);
    if (listing === null) return null;
    const { models, family } = listing;
    if (family === null) return models;
    return await withDetails(models, server.recognize(family), server.callBeside(listTimeoutMs, signal));
  } catch {
    // Aborted: nothing new is known.
    return null;
  }
}
