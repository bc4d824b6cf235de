import type { Call, Operation } from '../../../kernel/http/operation.ts';
import { accountOf, defineOperation, ok, perMinute } from '../../../kernel/http/operation.ts';
import { toWire } from '../../../kernel/kit/wire-names.ts';
import { listOf, toList, toPageRequest } from '../../accounts/feature.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import type { JobRecord } from '../job-records.ts';
import { AdministeredJob, InJob, JobsQuery } from './schema.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const own = {
  group: 'async',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('account', 120)],
} as const;
const ownPath = '/v1/account/jobs';
const allPath = '/admin/v1/jobs';

/** Jobs without their requests: to an account its own, and to an operator those of all. */
export function jobOperations({ admin }: Settings): readonly Operation<Services>[] {
  return admin ? [...ownJobs, ...allJobs] : ownJobs;
}

const ownJobs: readonly Operation<Services>[] = [
  defineOperation({
    ...own,
    buckets: [perMinute('async create', 5)],
    id: 'retryAccountJob',
    summary: 'Queues an asynchronous job of this account that failed once more',
    ...change(ownPath, 'retry'),
  }),
  defineOperation({
    ...own,
    id: 'cancelAccountJob',
    summary: 'Fails an asynchronous job of this account that is not over; it is not billed',
    ...change(ownPath, 'cancel'),
  }),
];

const allJobs: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListJobs',
    summary: 'Lists asynchronous jobs without what was asked and answered, newest first',
    method: 'GET',
    paths: [allPath],
    query: JobsQuery,
    responses: { 200: listOf(AdministeredJob) },
    async handle({ query }, { jobRecords }: Services) {
      const selection = { accountId: query.account_id, status: query.status };
      return ok(toList(await jobRecords.list(selection, toPageRequest(query)), toAdministeredJob));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminRetryJob',
    summary: 'Queues a job that failed once more',
    ...change(allPath, 'retry'),
  }),
  defineOperation({
    ...common,
    id: 'adminCancelJob',
    summary: 'Fails a job that is not over; it is not billed',
    ...change(allPath, 'cancel'),
  }),
];

function change(path: typeof ownPath | typeof allPath, verb: 'retry' | 'cancel') {
  return {
    method: 'POST',
    paths: [`${path}/{job_id}/${verb}`],
    params: InJob,
    responses: { 200: AdministeredJob },
    async handle({ principal, params }: Call<unknown, unknown, InJob>, { jobRecords }: Services) {
      const accountId = path === ownPath ? accountOf(principal) : undefined;
      return ok(toAdministeredJob(await jobRecords[verb](params.job_id, accountId)));
    },
  } as const;
}

function toAdministeredJob(job: JobRecord): AdministeredJob {
  return { object: 'job', ...toWire(job) };
}
