import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { chatKeys } from './config.ts';
import { createChat, type Chat } from './chat.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import { type JobQueue, openJobs } from '../jobs/feature.ts';
import { asyncOperations } from './wire/async/operation.ts';
import { createChatBackends, createChatJobs } from './wire/chat-job.ts';
import { chatOperations } from './wire/chat/operation.ts';

export { chatBytesMax } from './wire/chat-request.ts';
export { ChatRequest } from './wire/chat-schema.ts';
export { createChatAnswers } from './wire/chat/answers.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof chatKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly chat: Chat;
    readonly jobs: JobQueue;
  }

  interface Settings {
    readonly chat: {
      readonly timeoutMs: number;
      /** Neighbouring messages of one role are merged instead of refused. */
      readonly lenientRoles: boolean;
      readonly citations: boolean;
    };
  }
}

/** Chat completions grounded in search, at once and as jobs. */
export const feature = defineFeature({
  name: 'chat',
  config: { keys: chatKeys },
  needs: ['models', 'structured', 'search', 'pages', 'fetchMedia', 'verifier'],
  gives: ['chat', 'jobs'],
  settings: ({ chat: { timeoutS, lenientRoles, citations } }) => ({
    chat: { timeoutMs: timeoutS * 1_000, lenientRoles, citations },
  }),
  async open({ config, settings, kernel, services, keep }) {
    const { clock, log } = kernel;
    const { thinkPreamble, verify } = config.chat;
    const verification = services.verifier.forRun(verify);
    const onFailure = createFailureLog((line) => log.warn(line, 'chat goes on without a part'), clock);
    const chat = createChat({ ...services, clock, thinkPreamble, verification, onFailure });
    const run = createChatJobs(settings, { ...services, ...kernel, chat });
    const backends = createChatBackends(settings, services);
    const jobs = await keep(openJobs(config, { ...kernel, run, backends }));
    return { chat, jobs: jobs.queue };
  },
  operations: (settings) => [...chatOperations(settings), ...asyncOperations(settings)],
});
