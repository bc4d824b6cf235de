import type { Config } from '../../kernel/config.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { knownLocalServers, type KnownLocalServer } from '../models/feature.ts';
import type { EngineDeclaration } from './engine.ts';

/**
 * Logs the decision servers of this machine that nobody configured, in the background. They are told and not taken:
 * answers must not change because something else was started beside Nestor.
 */
export function tellServers(
  { config, log, known }: { config: Config; log: Log; known: readonly EngineDeclaration[] },
  localServers: readonly KnownLocalServer[] = knownLocalServers,
): { close(): Promise<void> } {
  const { engine: chosen, path, upstreams } = config.decisions;
  const isChosen = chosen !== 'auto' || path !== null || upstreams.length > 0;
  if (!config.detect || isChosen) return { close: () => Promise.resolve() };
  const closing = new AbortController();
  // Our own port would answer too.
  const addresses = localServers
    .filter(({ port }) => port !== config.port)
    .map(({ port }) => `http://127.0.0.1:${port}`);
  const telling = known.map(async (engine) => {
    for (const { url, model } of (await engine.findServers?.(addresses, closing.signal)) ?? [])
      log.info(
        `decisions: found the decision model ${JSON.stringify(model)} at ${url}; to decide with it, set ` +
          `decisions.engine to ${engine.name} and decisions.upstreams to [{ url: "${url}", model: ${JSON.stringify(model)} }]; ` +
          'to look for none, set detect: false',
      );
  });
  return {
    async close() {
      closing.abort();
      await Promise.all(telling);
    },
  };
}
