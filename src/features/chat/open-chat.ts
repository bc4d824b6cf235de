import { createChat, type Chat } from './chat.ts';
import type { Config } from '../../kernel/config.ts';
import type { JobRecords } from '../jobs/job-records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { createChatBackends, createChatJobs } from './wire/chat-job.ts';
import type { FetchMedia } from '../models/media.ts';
import type { Settings } from '../../kernel/feature.ts';
import { createFetchMedia } from '../models/fetch-media.ts';
import { openJobs } from '../jobs/open-jobs.ts';
import type { OpenParts } from '../../server/parts.ts';

export interface OpenChat {
  readonly chat: Chat;
  readonly jobs: JobQueue;
  readonly jobRecords: JobRecords;
  readonly fetchMedia: FetchMedia;
  close(): Promise<void>;
}

/** What answers chat completions at once, and the workers that do so later. */
export async function openChat(
  config: Config,
  settings: Settings,
  parts: Pick<
    OpenParts,
    'models' | 'structured' | 'search' | 'pages' | 'client' | 'database' | 'ageGuard' | 'clock' | 'ids'
  >,
  log: Log,
): Promise<OpenChat> {
  const { models, structured, search, pages, client, database, ageGuard, clock, ids } = parts;
  const { thinkPreamble } = config.chat;
  const onFailure = createFailureLog((line) => log.warn(line, 'chat goes on without a part'), clock);
  const chat = createChat({ models, search, pages, clock, thinkPreamble, onFailure });
  const fetchMedia = createFetchMedia(client);
  const run = createChatJobs(settings, { chat, models, structured, pages, clock, ids, fetchMedia });
  const backends = createChatBackends(settings, { models });
  const jobs = await openJobs(config, { database, run, ageGuard, backends, log, clock, ids });
  return { chat, jobs: jobs.queue, jobRecords: jobs.records, fetchMedia, close: () => jobs.close() };
}
