import { defineEngine } from '../../engine.ts';

/** Other servers of System One. */
export const systemone = defineEngine({
  name: 'systemone',
  upstreams: 'needed',
  suits: ({ upstreams }) => upstreams.length > 0,
  findServers: async (addresses, signal) =>
    (await import('./find-servers.ts')).findServers(addresses, signal),
  async open({ upstreams, timeoutMs }) {
    const { openSystemOneEngine } = await import('./index.ts');
    // The protocol's own name for whatever is newest.
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? 'jev-latest' }));
    return openSystemOneEngine({ upstreams: named, timeoutMs });
  },
});
