import type { Services } from '../../kernel/feature.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createStoreProbe } from '../../kernel/store/probe.ts';
import type { Drain } from '../../kernel/http/drain.ts';

type Health = 'ok' | 'down' | 'not_configured';

/** Whether a server may be sent requests, and the state of each part by its name in `/readyz`. */
export interface Readiness {
  readonly isReady: boolean;
  /** It serves what comes and takes nothing new soon. */
  readonly isStopping: boolean;
  readonly checks: Readonly<
    Record<'store' | 'ledger' | 'decisions' | 'chat' | 'search' | 'embeddings', Health>
  > & { readonly redis: 'ok' | 'degraded' | 'not_configured' };
}

interface ReadinessDependencies extends Pick<
  Services,
  'ledger' | 'limiter' | 'decisions' | 'models' | 'search' | 'embeddings'
> {
  readonly database: Database;
  readonly clock: Clock;
  readonly drain: Pick<Drain, 'isStopping'>;
}

/** The state of every part by its name in `/readyz`. */
export function createReadiness(dependencies: ReadinessDependencies): () => Promise<Readiness> {
  const { database, ledger, decisions, models, search, embeddings, limiter, drain, clock } = dependencies;
  const probe = createStoreProbe(database, clock);
  return async () => {
    const checks = {
      store: await probe(),
      ledger: ledger().accepts ? 'ok' : 'down',
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
