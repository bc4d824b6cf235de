import {
  accountOf,
  defineOperation,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import { Fault } from '../../../../kernel/faults.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { JobPage, JobQueue } from '../../../jobs/feature.ts';
import { chatBytesMax, createChatRequests } from '../chat-request.ts';
import type { ChatResponse } from '../chat-response.ts';
import { familiesOf } from '../chat-models.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { Job, JobList, JobParams, JobRequest, ListQuery, type JobSummary } from './schema.ts';

type AsyncServices = Pick<Services, 'jobs' | 'models' | 'storageQuota' | 'structured'>;

const limitDefault = 20;
const common = { group: 'async', credentials: 'bearer' } as const;

/** Chat completions that are created, then polled. Contract 10. */
export function asyncOperations(settings: Settings): readonly Operation<AsyncServices>[] {
  const paths = (suffix: string): readonly [string, ...string[]] => [
    `/async/chat/completions${suffix}`,
    ...familiesOf(settings).map((family) => `/v1/async/${family}${suffix}`),
  ];
  const read = { ...common, method: 'GET', surface: 'jobs' } as const;
  return [
    defineOperation({
      ...read,
      id: 'listAsyncChatCompletions',
      summary: 'Lists the asynchronous chat completions of the account, newest first',
      paths: paths(''),
      buckets: [perMinute('async list', 3_000)],
      query: ListQuery,
      responses: { 200: JobList },
      async handle({ query, principal }, { jobs }: AsyncServices) {
        const { limit = limitDefault, next_token: token = null } = query;
        const page = await jobs.list(accountOf(principal), limit, token);
        return ok({ requests: page.jobs.map(toSummary), next_token: page.nextToken });
      },
    }),
    defineOperation({
      ...read,
      id: 'getAsyncChatCompletion',
      summary: 'One asynchronous chat completion with its state and, once it is completed, its reply',
      paths: paths('/{api_request}'),
      buckets: [perMinute('async get', 6_000)],
      params: JobParams,
      responses: { 200: Job },
      async handle({ params, principal }, { jobs }: AsyncServices) {
        const job = await jobs.get(accountOf(principal), params.api_request.toLowerCase());
        if (job === null) throw new Fault('not_found', 'There is no such job');
        return ok(toJob(job));
      },
    }),
    createJob(settings, paths('')),
  ];
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
    async handle({ body, principal, signal }, services: AsyncServices) {
      const { jobs, storageQuota } = services;
      const { request, idempotency_key: idempotencyKey = null } = body;
      const accountId = accountOf(principal);
      await requests.check(request, services, { account: accountId, signal }).catch((error: unknown) => {
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

type JobHead = JobPage['jobs'][number];
type JobRow = Awaited<ReturnType<JobQueue['create']>>;

function toSummary({ id, model, status, createdAtMs, startedAtMs, endedAtMs }: JobHead): JobSummary {
  return {
    id,
    model,
    status,
    created_at: toSeconds(createdAtMs),
    started_at: startedAtMs === null ? null : toSeconds(startedAtMs),
    completed_at: status === 'COMPLETED' && endedAtMs !== null ? toSeconds(endedAtMs) : null,
    failed_at: status === 'FAILED' && endedAtMs !== null ? toSeconds(endedAtMs) : null,
  };
}

function toJob(job: JobRow): Job {
  return {
    ...toSummary(job),
    // The store gives back what the worker wrote.
    response: job.response === null ? null : (JSON.parse(job.response) as ChatResponse),
    error_message: job.errorMessage,
  };
}

const toSeconds = (ms: number): number => Math.floor(ms / 1_000);

/** What is kept of a request: how its reply would have been sent means nothing to a job. */
function toKept(request: JsonObject): Json {
  const { stream: _stream, stream_mode: _mode, stream_options: _options, ...kept } = request;
  return kept;
}

/** A fault of the request inside the body, named as the caller wrote it. */
function toInner(error: unknown): unknown {
  if (!(error instanceof Fault) || error.param === null || error.status !== 400) return error;
  return new Fault(error.code, error.message, { param: `request.${error.param}`, cause: error.cause });
}
