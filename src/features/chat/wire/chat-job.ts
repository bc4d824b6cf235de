import { Fault } from '../../../kernel/faults.ts';
import { toUsageRow } from '../../accounts/feature.ts';
import type { JobBackends, JobResult, WorkerOptions } from '../../jobs/feature.ts';
import { raceSignal } from '../../../kernel/kit/abort.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { parseWritten } from '../../../kernel/kit/json-parse.ts';
import { chatModelsOf } from './chat-models.ts';
import { ChatRecord } from './chat-record.ts';
import { createChatRequests, type ChatServices } from './chat-request.ts';
import type { ChatRequest } from './chat-schema.ts';
import type { Settings } from '../../../kernel/feature.ts';

/** Operation under which jobs stand in the ledger. */
const operation = 'createAsyncChatCompletion';

/**
 * Runs chat completions as jobs: the same answer, folded. Throws Fault; its message is shown as that of the job. One row of
 * the ledger per job, known by its id, so that a job is billed once however often it was begun.
 */
export function createChatJobs(settings: Settings, services: ChatServices): WorkerOptions['run'] {
  const requests = createChatRequests(settings);
  const { timeoutMs } = settings.chat;
  return async (job, signal): Promise<JobResult> => {
    const startedAt = services.clock.monotonic();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Fault('gateway_timeout')), timeoutMs);
    const limited = AbortSignal.any([signal, deadline.signal]);
    try {
      // The schema let it through when the job was created.
      const body = parseWritten(job.request) as unknown as ChatRequest;
      const record = await raceSignal(answer(body, { account: job.accountId, signal: limited }), limited);
      const response = JSON.stringify(record.toResponse());
      const { id, accountId, keyId } = job;
      const request = {
        requestId: id,
        operation,
        accountId,
        keyId,
        status: 200,
        durationMs: services.clock.monotonic() - startedAt,
        createdAtMs: services.clock.now(),
      };
      return { response, usage: toUsageRow(request, record.billing()) };
    } finally {
      clearTimeout(timer);
    }
  };

  async function answer(body: ChatRequest, caller: Caller): Promise<ChatRecord> {
    const checked = await requests.check(body, services, caller);
    const { head, question } = await requests.open(body, checked, services, caller);
    const record = new ChatRecord(head);
    for await (const batch of services.chat.answer(question, caller.signal))
      for (const event of batch) record.push(event);
    return record;
  }
}

/** What jobs run on: the models behind the names that a request may have. */
export function createChatBackends(
  settings: Settings,
  { models }: Pick<ChatServices, 'models'>,
): JobBackends {
  const named = chatModelsOf(settings);
  return {
    models: [...named.keys()],
    rests(name) {
      const model = named.get(name);
      return model !== undefined && models.rests(model.runsOn);
    },
  };
}
