import { createChat, type Chat } from './chat.ts';
import type { Config } from '../../kernel/config.ts';
import { type JobQueue, openJobs } from '../jobs/feature.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import { createChatBackends, createChatJobs } from './wire/chat-job.ts';
import type { Services, Settings } from '../../kernel/feature.ts';
import type { Kernel } from '../../kernel/open-kernel.ts';

export interface OpenChat {
  readonly chat: Chat;
  readonly jobs: JobQueue;
  close(): Promise<void>;
}

type Parts = Pick<Kernel, 'database' | 'ageGuard' | 'clock' | 'ids' | 'log'> &
  Pick<Services, 'models' | 'structured' | 'search' | 'pages' | 'fetchMedia'>;

/** What answers chat completions at once, and the workers that do so later. */
export async function openChat(config: Config, settings: Settings, parts: Parts): Promise<OpenChat> {
  const { models, search, pages, clock, log } = parts;
  const { thinkPreamble } = config.chat;
  const onFailure = createFailureLog((line) => log.warn(line, 'chat goes on without a part'), clock);
  const chat = createChat({ models, search, pages, clock, thinkPreamble, onFailure });
  const run = createChatJobs(settings, { ...parts, chat });
  const backends = createChatBackends(settings, { models });
  const jobs = await openJobs(config, { ...parts, run, backends });
  return { chat, jobs: jobs.queue, close: () => jobs.close() };
}
