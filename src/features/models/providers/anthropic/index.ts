import type { Provider } from '../../model.ts';
import {
  chooseModels,
  createOffer,
  type RemoteDependencies,
  type RemoteOptions,
} from '../../remote-server.ts';
import { listModels, unlisted, type ListedModel } from './listing.ts';
import { createModel } from './model.ts';
import { Server } from './server.ts';

/**
 * A server with the Messages interface. Nothing is requested before `refresh`: a configured list is offered from the
 * start, with the traits that the names imply, and the server's own list adds sizes and capabilities.
 */
export function openAnthropic(options: RemoteOptions, dependencies: RemoteDependencies): Provider {
  const { clock, ids } = dependencies;
  const server = new Server(options, dependencies);
  const offer = createOffer(({ name, created, ownedBy, traits }: ListedModel) => {
    const model = createModel(name, traits, { server, clock, ids });
    return { model, created, ownedBy, price: null, router: true };
  });
  let models = options.models === '*' ? [] : offer(options.models.map(unlisted));
  return {
    name: options.name,
    type: 'anthropic',
    models: () => models,
    health: () => server.health(),
    async refresh(signal) {
      try {
        const listing = await listModels(server, signal);
        if (!listing.ok) {
          server.reportUnlisted(listing.outcome);
          return;
        }
        models = offer(chooseModels(options.models, listing.models, unlisted));
        server.report(true);
      } catch {
        // Aborted: nothing new is known.
      }
    },
    close: () => server.close(),
  };
}
