import { defineOperation, ok, perMinute, type Operation } from '../../../kernel/http/operation.ts';
import { toList, toPageRequest, listOf } from '../../accounts/feature.ts';
import { accountOf } from '../../../kernel/http/caller.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { toAdministeredJob } from './convert.ts';
import { AdministeredJob, InJob, JobsQuery } from './schema.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const jobsPath = '/admin/v1/jobs';

/** Jobs as those who look after them see them: those of the own account, and for an operator those of all. */
export function jobOperations({ admin }: Settings): readonly Operation<Services>[] {
  return admin ? [...ownJobs, ...allJobs] : ownJobs;
}

const own = {
  group: 'async',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('account', 120)],
} as const;

const ownJobs: readonly Operation<Services>[] = [
  defineOperation({
    ...own,
    buckets: [perMinute('async create', 5)],
    id: 'retryAccountJob',
    summary: 'Queues an asynchronous job of this account that failed once more',
    method: 'POST',
    paths: ['/v1/account/jobs/{job_id}/retry'],
    params: InJob,
    responses: { 200: AdministeredJob },
    async handle({ principal, params }, { jobRecords }: Services) {
      return ok(toAdministeredJob(await jobRecords.retry(params.job_id, accountOf(principal))));
    },
  }),
  defineOperation({
    ...own,
    id: 'cancelAccountJob',
    summary: 'Fails an asynchronous job of this account that is not over; it is not billed',
    method: 'POST',
    paths: ['/v1/account/jobs/{job_id}/cancel'],
    params: InJob,
    responses: { 200: AdministeredJob },
    async handle({ principal, params }, { jobRecords }: Services) {
      return ok(toAdministeredJob(await jobRecords.cancel(params.job_id, accountOf(principal))));
    },
  }),
];

const allJobs: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListJobs',
    summary: 'Lists asynchronous jobs without what was asked and answered, newest first',
    method: 'GET',
    paths: [jobsPath],
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
    method: 'POST',
    paths: [`${jobsPath}/{job_id}/retry`],
    params: InJob,
    responses: { 200: AdministeredJob },
    async handle({ params }, { jobRecords }: Services) {
      return ok(toAdministeredJob(await jobRecords.retry(params.job_id)));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminCancelJob',
    summary: 'Fails a job that is not over; it is not billed',
    method: 'POST',
    paths: [`${jobsPath}/{job_id}/cancel`],
    params: InJob,
    responses: { 200: AdministeredJob },
    async handle({ params }, { jobRecords }: Services) {
      return ok(toAdministeredJob(await jobRecords.cancel(params.job_id)));
    },
  }),
];
