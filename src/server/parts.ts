import { openAccounts, type OpenAccounts } from '../features/accounts/open-accounts.ts';
import type { Config } from '../kernel/config.ts';
import type { DecisionEngine } from '../features/decisions/engine.ts';
import type { EmbeddingEngine } from '../features/embeddings/embedding.ts';
import type { Metrics } from '../kernel/http/metrics.ts';
import { systemClock, type Clock } from '../kernel/kit/clock.ts';
import { randomIds, type Ids } from '../kernel/kit/ids.ts';
import type { GuardedClient } from '../kernel/kit/guarded-client.ts';
import type { Log } from '../kernel/kit/log.ts';
import type { Provider } from '../features/models/model.ts';
import { openStructuredChecks, type StructuredChecks } from '../features/models/open-structured-checks.ts';
import type { Models } from '../features/models/registry.ts';
import type { KnownLocalServer } from '../features/models/services.ts';
import type { Finance } from '../features/search/finance.ts';
import type { SiteReader } from '../features/search/page.ts';
import type { Search } from '../features/search/search.ts';
import type { SkillStore } from '../features/skills/skills.ts';
import type { AgeGuard } from '../kernel/store/age-guard.ts';
import { openDatabase, type Database } from '../kernel/store/database.ts';
import { openAgeGuard } from '../kernel/store/open-age-guard.ts';
import { openCompared, openDecisions, type ComparedDecisions } from '../features/decisions/open-decisions.ts';
import { openEmbeddings } from '../features/embeddings/open-embeddings.ts';
import { reportLedger } from '../features/accounts/ledger/reports.ts';
import { shareLocalModels } from '../features/models/local-models.ts';
import { openModels } from '../features/models/open-server-models.ts';
import { openCorpus, openReading, openSearchParts } from '../features/search/open-search-parts.ts';
import { prepareSkills } from '../features/skills/open-skills.ts';

/** What tests may hand in; everything else comes from the configuration. */
export interface GivenParts {
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly decisions?: DecisionEngine;
  /** In place of those of the configuration. */
  readonly providers?: readonly Provider[];
  /** Ports on which model servers are looked for, in place of the usual ones. */
  readonly localServers?: readonly KnownLocalServer[];
  /** How often providers are asked for their models again. Unit: ms. */
  readonly refreshMs?: { readonly all: number; readonly down: number };
  /** Passes the time of a drain. */
  readonly wait?: (ms: number) => Promise<void>;
  /** The store is lost and will not come back in this process. */
  readonly onStoreLost?: (reason: Error) => void;
}

const dayMs = 86_400_000;
const mebibyte = 1_048_576;

/** Everything that is open while a server runs. */
export interface OpenParts {
  readonly metrics: Metrics | null;
  readonly database: Database;
  /** For what is deleted when it is old. */
  readonly ageGuard: AgeGuard;
  readonly accounts: OpenAccounts;
  readonly decisions: DecisionEngine;
  readonly comparedDecisions: ComparedDecisions;
  readonly embeddings: EmbeddingEngine;
  readonly models: Models;
  readonly structured: StructuredChecks;
  readonly skills: SkillStore;
  readonly search: Search;
  /** Null where no source of figures is configured. */
  readonly finance: Finance | null;
  readonly pages: SiteReader;
  /** For addresses that callers name. */
  readonly client: GuardedClient;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Takes what closes, also while it is being opened, and closes it when the server does. */
export type Keep = <Part extends { close(): Promise<void> }>(part: Part | Promise<Part>) => Promise<Part>;

/** Opens the parts, those that do not need each other at the same time. */
export async function openParts(config: Config, given: GivenParts, keep: Keep): Promise<OpenParts> {
  const { log, clock = systemClock, ids = randomIds } = given;
  const metrics =
    config.metrics.port === null ? null : await keep(openMetrics(config.host, config.metrics.port));
  const openLocal = shareLocalModels(config.decisions.gpu);
  const [database, decisions, comparedDecisions, embeddings, models] = await allOf(
    keep(openStore(config, given)),
    keep(given.decisions ?? openDecisions(config, log, (mass) => metrics?.labelMass(mass), openLocal)),
    keep(openCompared(config, log, openLocal)),
    keep(openEmbeddings(config, log)),
    keep(openModels(config, { ...given, clock, ids, openLocal })),
  );
  const ageGuard = openAgeGuard(database, clock, log);
  const accounts = await keep(
    openAccounts({
      database,
      ageGuard,
      dataFolder: config.dataFolder,
      configuredKeys: config.keys,
      family: config.family,
      clock,
      ids,
      storageQuotaBytes: config.accounts.storageMb * mebibyte,
      keepRowsMs: config.ledger.keepDays * dayMs,
      ledgerReports: reportLedger(log),
    }),
  );
  const structured = await keep(openStructuredChecks());
  const skills = await prepareSkills(config, { database, clock, ids });
  const reading = await openReading(config, clock, keep);
  const corpus = openCorpus(database, embeddings, clock, log);
  const found = await openSearchParts(config, { corpus, ...reading, embeddings, clock, log }, keep);
  return {
    metrics,
    database,
    ageGuard,
    accounts,
    decisions,
    comparedDecisions,
    embeddings,
    models,
    structured,
    skills,
    clock,
    ids,
    ...reading,
    ...found,
  };
}

function openStore(config: Config, { log, onStoreLost }: GivenParts): Promise<Database> {
  return openDatabase(config.database, {
    dataFolder: config.dataFolder,
    isServer: true,
    threadEvents: {
      ended: (err) => log.error({ err }, 'the storage thread ended; it is opened again'),
      reopened: () => log.info('the storage thread was opened again'),
      lost: (reason) => onStoreLost?.(reason),
    },
  });
}

async function openMetrics(host: string, port: number): Promise<Metrics> {
  const module = await import('../kernel/http/metrics.ts');
  return module.openMetrics(host, port);
}

/** Waits for all, also when one fails: what opened beside it has to be kept before everything is closed. */
async function allOf<Parts extends readonly Promise<unknown>[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
