/** Worker of `JsonThread`. */
import { parentPort } from 'node:worker_threads';
import { answerJob } from './job-worker.ts';
import { doJsonJob, movedOf, type JsonJob } from './json-job.ts';

const port = parentPort;
port?.on('message', (job: JsonJob) => void answerJob(port, () => doJsonJob(job), movedOf));
