import { defineOperation, ok, perMinute, type Operation } from '../../../../kernel/http/operation.ts';
import { Fault } from '../../../../kernel/faults.ts';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { chatBytesMax, createChatRequests } from '../chat-request.ts';
import { familiesOf } from '../chat-models.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { toInner, toJob, toKept, toSummary } from './convert.ts';
import { Job, JobList, JobParams, JobRequest, ListQuery } from './schema.ts';

type AsyncServices = Pick<Services, 'jobs' | 'storageQuota' | 'structured'>;

const limitDefault = 20;
const common = { group: 'async', credentials: 'bearer' } as const;

/** Chat completions that are created, then polled. Contract 10. */
export function asyncOperations(settings: Settings): readonly Operation<AsyncServices>[] {
  const paths = (suffix: string): readonly [string, ...string[]] => [
    `/async/chat/completions${suffix}`,
    ...familiesOf(settings).map((family) => `/v1/async/${family}${suffix}`),
  ];
  return [listJobs(paths('')), getJob(paths('/{api_request}')), createJob(settings, paths(''))];
}

function createJob(settings: Settings, paths: readonly [string, ...string[]]): Operation<AsyncServices> {
  const requests = createChatRequests(settings);
  return defineOperation({
    ...common,
    id: 'createAsyncChatCompletion',
    summary: 'Creates a chat completion that runs on its own and is fetched later',
    method: 'POST',
    paths,
    surface: 'chat',
    buckets: [perMinute('async create', 5)],
    body: { schema: JobRequest(settings), bytesMax: chatBytesMax },
    responses: { 200: Job },
    async handle({ body, principal, signal }, { jobs, storageQuota, structured }: AsyncServices) {
      const { request, idempotency_key: idempotencyKey = null } = body;
      const accountId = principal?.accountId ?? '';
      await requests.check(request, structured, { account: accountId, signal }).catch((error: unknown) => {
        throw toInner(error);
      });
      await storageQuota.admit(accountId);
      const job = await jobs.create({
        accountId,
        keyId: principal?.keyId ?? '',
        model: request.model,
        // It came as JSON and was only looked at.
        request: toKept(request as unknown as JsonObject),
        idempotencyKey,
      });
      return ok(toJob(job));
    },
  });
}

function listJobs(paths: readonly [string, ...string[]]): Operation<AsyncServices> {
  return defineOperation({
    ...common,
    id: 'listAsyncChatCompletions',
    summary: 'Lists the asynchronous chat completions of the account, newest first',
    method: 'GET',
    paths,
    surface: 'jobs',
    buckets: [perMinute('async list', 3_000)],
    query: ListQuery,
    responses: { 200: JobList },
    async handle({ query, principal }, { jobs }: AsyncServices) {
      const { limit = limitDefault, next_token: token = null } = query;
      const page = await jobs.list(principal?.accountId ?? '', limit, token);
      return ok({ requests: page.jobs.map(toSummary), next_token: page.nextToken });
    },
  });
}

function getJob(paths: readonly [string, ...string[]]): Operation<AsyncServices> {
  return defineOperation({
    ...common,
    id: 'getAsyncChatCompletion',
    summary: 'One asynchronous chat completion with its state and, once it is completed, its reply',
    method: 'GET',
    paths,
    surface: 'jobs',
    buckets: [perMinute('async get', 6_000)],
    params: JobParams,
    responses: { 200: Job },
    async handle({ params, principal }, { jobs }: AsyncServices) {
      const job = await jobs.get(principal?.accountId ?? '', params.api_request.toLowerCase());
      if (job === null) throw new Fault('not_found', 'There is no such job');
      return ok(toJob(job));
    },
  });
}
