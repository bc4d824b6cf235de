import type { Services } from '../../../kernel/feature.ts';
import type { Kernel } from '../../../kernel/open-kernel.ts';
import { ensureSecret } from '../../../kernel/store/secrets.ts';
import { openFitThreads } from '../learning/fit-threads.ts';
import { createDeciderStore } from '../store/deciders.ts';
import { createExampleStore } from '../store/examples.ts';
import { createVectorStore } from '../store/example-vectors.ts';
import { createFitStore } from '../store/fits.ts';
import { DeciderExamples } from './decider-examples.ts';
import { createExampleVectors } from './example-vectors.ts';
import { DriftWatch, type DriftWatchOptions } from './drift-watch.ts';
import { DeciderFits, fitsAtOnce } from './decider-fits.ts';
import { MassWatch } from './mass-watch.ts';
import { ReadAhead } from './read-ahead.ts';
import { StoredDeciders, type StoredDecidersOptions } from './stored-deciders.ts';

type Engines = Pick<StoredDecidersOptions, 'openShipped' | 'operatorEngine'>;

const outdated =
  'what a decider of an account learned was learned with another version of the encoder, and is not used until it is fitted again';

const drifted = 'a decider of an account answers a question otherwise than when it learned it';
const ended = 'a decider of an account answers a question as when it learned it again';

/** Deciders of accounts, what they learn from, and how. */
export async function openStoredDeciders(
  { database, clock, ids, log, metrics }: Pick<Kernel, 'database' | 'clock' | 'ids' | 'log' | 'metrics'>,
  { storageQuota, ...engines }: Engines & Pick<Services, 'storageQuota'>,
) {
  const { db, reader } = database;
  const store = createDeciderStore(db, reader);
  const examples = createExampleStore(db, reader);
  const fits = createFitStore(db, reader);
  const secret = await ensureSecret(db, 'examples', ids.secret(32));
  const onOutdated = () => log.warn(outdated);
  const drift = openDriftWatch(fits, { clock, log, metrics });
  const stored = new StoredDeciders({ store, fits, ...engines, clock, ids, drift, onOutdated });
  const threads = openFitThreads(fitsAtOnce);
  const vectorsOf = createExampleVectors(createVectorStore(db, reader), storageQuota);
  const readAhead = new ReadAhead({
    deciders: stored,
    vectorsOf,
    onError: (error) => log.warn({ err: error }, 'examples were not read ahead'),
  });
  const running = new DeciderFits({
    store: fits,
    examples,
    deciders: stored,
    threads,
    readAhead,
    vectorsOf,
    clock,
    ids,
    owner: ids.uuid(),
    isAlone: database.store === 'sqlite',
    onError: (error) => log.error({ err: error }, 'a fit of a decider failed'),
  });
  return {
    stored,
    examples: new DeciderExamples({
      examples,
      deciders: store,
      secret,
      clock,
      ids,
      onAdded: (...added) => readAhead.begin(...added),
    }),
    fits: running,
    drift,
    async close(): Promise<void> {
      await readAhead.close();
      await running.close();
      await threads.close();
      await drift.close();
    },
  };
}

/** Tells of each change of the label masses of the operator's deciders in the log, and counts it. */
export const openMassWatch = ({
  clock,
  log,
  metrics,
}: Pick<Kernel, 'clock' | 'log' | 'metrics'>): MassWatch =>
  new MassWatch({
    clock,
    onChange({ hasBegun, ...figures }) {
      metrics?.massDrifted(figures.decider, hasBegun);
      if (hasBegun) log.warn(figures, 'the label mass of a decider is no longer as when it was calibrated');
      else log.info(figures, 'the label mass of a decider is as when it was calibrated again');
    },
  });

/** Tells of each change in the log, and counts it. */
const openDriftWatch = (
  store: DriftWatchOptions['store'],
  { clock, log, metrics }: Pick<Kernel, 'clock' | 'log' | 'metrics'>,
): DriftWatch =>
  new DriftWatch({
    store,
    clock,
    onChange({ hasBegun, fitId, ...figures }) {
      metrics?.drifted(hasBegun);
      if (hasBegun) log.warn({ fitId, ...figures }, drifted);
      else log.info({ fitId, ...figures }, ended);
    },
    onError: (error) => log.error({ err: error }, 'answers of deciders were not counted'),
  });
