import type { Clock } from '../../kernel/kit/clock.ts';
import { every } from '../../kernel/kit/every.ts';
import type { AccountStorage } from '../../kernel/store/account-storage.ts';
import type { Accounts } from './store/accounts.ts';
import type { Keys } from './store/keys.ts';
import type { Processes } from '../../kernel/store/processes.ts';
import { leaseMs, type Authenticator } from './authenticator.ts';

interface MaintenanceOptions {
  readonly authenticator: Pick<
    Authenticator,
    'rootKeys' | 'raiseCredits' | 'forgetKey' | 'forgetAccount' | 'takeUsed'
  >;
  readonly accounts: Pick<Accounts, 'creditsOf'>;
  readonly keys: Pick<Keys, 'filterActive' | 'touch'>;
  readonly processes: Processes;
  readonly storage: Pick<AccountStorage, 'recount'>;
  /** Id of this process among those on the store. */
  readonly processId: string;
  readonly clock: Clock;
}

/** Half a lease, so that what a command wrote beside this server holds in it within one. */
const rootsEveryMs = leaseMs / 2;
const noteEveryMs = 60_000;
const beatEveryMs = 10_000;
const recountEveryMs = 21_600_000;
/** Age in ms at which a process without a heartbeat is forgotten. */
const forgetAfterMs = 3_600_000;

/**
 * What is kept true beside the requests. Tokens are asked for when they come; root keys never wait for the store, so
 * their credits, whether they are revoked and whether their account is there are looked up here, whether or not anybody calls.
 */
export function openMaintenance(options: MaintenanceOptions) {
  const { authenticator, accounts, keys, processes, storage, processId, clock } = options;
  const startedAtMs = clock.now();
  const credits = new Map<string, number>();

  async function refreshRoots(): Promise<void> {
    const roots = authenticator.rootKeys();
    const stored = roots.filter(({ isStored }) => isStored).map(({ hash }) => hash);
    const named = new Set(roots.map(({ accountId }) => accountId));
    const [found, active] = await Promise.all([accounts.creditsOf([...named]), keys.filterActive(stored)]);
    for (const accountId of named) if (!found.has(accountId)) authenticator.forgetAccount(accountId);
    for (const [accountId, creditsUsd] of found) {
      if (credits.get(accountId) === creditsUsd) continue;
      credits.set(accountId, creditsUsd);
      authenticator.raiseCredits(accountId, creditsUsd);
    }
    const kept = new Set(active);
    for (const hash of stored) if (!kept.has(hash)) authenticator.forgetKey(hash);
  }

  async function noteUse(): Promise<void> {
    const used = authenticator.takeUsed();
    if (used.length > 0) await keys.touch(used, clock.now());
  }

  async function beat(): Promise<void> {
    const seenAtMs = clock.now();
    await processes.beat({ id: processId, startedAtMs, seenAtMs });
    await processes.forget(seenAtMs - forgetAfterMs);
  }

  const timers = [
    every(rootsEveryMs, refreshRoots),
    every(noteEveryMs, noteUse),
    every(beatEveryMs, beat),
    // Triggers keep the count; this is for a store that somebody changed by hand.
    every(recountEveryMs, async () => void (await storage.recount())),
  ];
  const firstBeat = beat().catch(ignored);
  return {
    /** Asks the store at once for what changed about root keys. Rejects when it cannot be asked. */
    refreshRoots,
    /** Notes which keys were used. */
    noteUse,
    /** Ends the timers, notes what is left and says that this process has gone. */
    async close(): Promise<void> {
      await Promise.all([firstBeat, ...timers.map((timer) => timer.close())]);
      await noteUse().catch(ignored);
      await processes.leave(processId).catch(ignored);
    },
  };
}

/** The next run tries again; health checks report a store that is down. */
function ignored(): void {}
