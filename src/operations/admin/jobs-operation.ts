import { defineOperation, ok, type Operation } from '../../http/operation.ts';
import { toList, toPageRequest } from '../account-convert.ts';
import { listOf } from '../account-schema.ts';
import { AdministeredJob, toAdministeredJob } from '../job-record.ts';
import type { Services } from '../services.ts';
import { InJob, JobsQuery } from './schema.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const jobsPath = '/admin/v1/jobs';

/** Asynchronous chat completions of all accounts. */
export const jobOperations: readonly Operation<Services>[] = [
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
