import type { Provider } from '../../model.ts';
import {
  createRemoteProvider,
  endpointOf,
  type RemoteDependencies,
  type RemoteOptions,
} from '../../remote-server.ts';
import { withDetails } from './details.ts';
import { deploymentOf, Server } from './server.ts';
import { fromListing, unlisted } from './listing.ts';
import { createModel } from './model.ts';

const listTimeoutMs = 10_000;

/**
 * A server with the chat-completions interface. Its own list adds sizes, prices, capabilities, and which server it is.
 * A deployment of Azure has no list, and the list of its resource names models that the deployment does not run.
 */
export function openOpenAiCompatible(options: RemoteOptions, dependencies: RemoteDependencies): Provider {
  const { name, models } = options;
  const server = new Server(options, dependencies);
  const deployment = deploymentOf(options.baseUrl);
  const isOpen = models === '*';
  return createRemoteProvider(name, isOpen && deployment !== null ? [deployment] : models, {
    type: 'openai-compatible',
    server,
    unlisted,
    toOffered: (listed) => {
      const { created, ownedBy, price } = listed;
      const model = createModel(listed, server, dependencies.ids);
      return { model, created, ownedBy: ownedBy ?? name, price, router: true };
    },
    list: async (signal) => {
      const listed = deployment === null ? await list(server, !isOpen, signal) : null;
      if (listed === null || !isOpen) return listed;
      return listed.filter((model) => !server.quirksFor(model.name).hidden?.test(model.name));
    },
  });
}

/** The models of a server; null without a usable list, in which case `health` says whether that matters. */
async function list(server: Server, isOptional: boolean, signal: AbortSignal) {
  const url = endpointOf(server.baseUrl, '/models');
  const outcome = await server.list(url, listTimeoutMs, signal);
  if (!outcome.ok) {
    server.reportUnlisted(outcome);
    return null;
  }
  const listing = fromListing(outcome.body);
  server.report(listing !== null || isOptional);
  if (listing === null) return null;
  const { models, family } = listing;
  if (family === null) return models;
  return withDetails(models, server.recognize(family), server.callBeside(listTimeoutMs, signal));
}
