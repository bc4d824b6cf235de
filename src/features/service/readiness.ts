import type { OpenLimiter } from '../accounts/open-limiter.ts';
import type { Readiness } from '../../kernel/feature.ts';
import { createStoreProbe } from '../../kernel/store/probe.ts';
import type { Drain } from '../../kernel/http/drain.ts';
import type { OpenParts } from '../../server/parts.ts';

interface ReadinessParts extends Pick<
  OpenParts,
  'database' | 'accounts' | 'decisions' | 'models' | 'search' | 'embeddings' | 'clock'
> {
  readonly limiter: Pick<OpenLimiter, 'redis'>;
  readonly drain: Pick<Drain, 'isStopping'>;
}

/** The state of every part by its name in `/readyz`. */
export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const { database, accounts, decisions, models, search, embeddings, limiter, drain, clock } = parts;
  const probe = createStoreProbe(database, clock);
  return async () => {
    const checks = {
      store: await probe(),
      ledger: accounts.meter.state().accepts ? 'ok' : 'down',
      redis: limiter.redis(),
      decisions: decisions.health(),
      chat: models.health(),
      search: search.health(),
      embeddings: embeddings.health(),
    } as const;
    const isStopping = drain.isStopping();
    return { isReady: !isStopping && !Object.values(checks).includes('down'), isStopping, checks };
  };
}
