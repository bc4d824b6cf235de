import type { Provider } from '../../model.ts';
import { createRemoteProvider, type RemoteDependencies, type RemoteOptions } from '../../remote-server.ts';
import { listModels, unlisted } from './listing.ts';
import { createModel } from './model.ts';
import { Server } from './server.ts';

/** A server with the Messages interface. Its own list adds sizes and capabilities to what the names imply. */
export function openAnthropic(options: RemoteOptions, dependencies: RemoteDependencies): Provider {
  const server = new Server(options, dependencies);
  return createRemoteProvider(options.name, options.models, {
    type: 'anthropic',
    server,
    unlisted,
    toOffered: ({ name, created, ownedBy, traits }) => {
      const model = createModel(name, traits, server, dependencies.ids);
      return { model, created, ownedBy, price: null, router: true };
    },
    list: (signal) => listModels(server, signal),
  });
}
