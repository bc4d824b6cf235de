import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { jobKeys } from './config.ts';
import { createJobRecords, type JobRecords } from './job-records.ts';
import { createJobAdministration } from './store/jobs-administration.ts';
import { jobOperations } from './wire/operation.ts';

export { openJobs } from './open-jobs.ts';
export type { JobPage, JobQueue } from './queue.ts';
export type { JobBackends, JobResult, WorkerOptions } from './worker.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof jobKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    /** Jobs as those who look after them see them. */
    readonly jobRecords: JobRecords;
  }
}

/** Work that is done later: a queue in the store, and workers. */
export const feature = defineFeature({
  name: 'jobs',
  config: { keys: jobKeys },
  gives: ['jobRecords'],
  open: async ({ kernel: { database, clock } }) => ({
    jobRecords: createJobRecords(createJobAdministration(database.db), clock),
  }),
  operations: jobOperations,
});
