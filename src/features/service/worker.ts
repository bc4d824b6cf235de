import type { RunningWorker } from './commands/worker-parts.ts';
import type { Config } from '../../kernel/config.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openStructuredChecks } from '../models/open-structured-checks.ts';
import { openDatabase } from '../../kernel/store/database.ts';
import { openAgeGuard } from '../../kernel/store/open-age-guard.ts';
import { openChat } from '../chat/open-chat.ts';
import { openEmbeddings } from '../embeddings/open-embeddings.ts';
import { shareLocalModels } from '../models/local-models.ts';
import { openModels } from '../models/open-server-models.ts';
import type { Keep } from '../../server/parts.ts';
import { openCorpus, openReading, openSearchParts } from '../search/open-search-parts.ts';
import { toSettings } from '../../server/settings.ts';

/** Workers without a server. Throws an Error of one line for an embedded store, which belongs to one process. */
export async function openWorker(version: string, config: Config, log: Log): Promise<RunningWorker> {
  if (!/^postgres(?:ql)?:/.test(config.database))
    throw new Error(
      'database: workers of their own need PostgreSQL, for example postgres://nestor@db/nestor',
    );
  const opened = new AsyncDisposableStack();
  const keep: Keep = async (part) => {
    const value = await part;
    opened.defer(() => value.close());
    return value;
  };
  try {
    await open(version, config, log, keep);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
  return { workers: config.async.workers, close: () => opened.disposeAsync() };
}

/** What a chat completion needs, and nothing else. */
async function open(version: string, config: Config, log: Log, keep: Keep): Promise<void> {
  const [clock, ids] = [systemClock, randomIds];
  const openLocal = shareLocalModels(config.decisions.gpu);
  const database = await keep(openDatabase(config.database, { dataFolder: config.dataFolder }));
  const embeddings = await keep(openEmbeddings(config, log));
  const models = await keep(openModels(config, { log, clock, ids, openLocal }));
  const reading = await openReading(config, clock, keep);
  const corpus = openCorpus(database, embeddings, clock, log);
  const { search } = await openSearchParts(config, { corpus, ...reading, embeddings, clock, log }, keep);
  const structured = await keep(openStructuredChecks());
  const parts = {
    models,
    structured,
    search,
    ...reading,
    database,
    ageGuard: openAgeGuard(database, clock, log),
    clock,
    ids,
  };
  await keep(openChat(config, toSettings(version, config), parts, log));
}
