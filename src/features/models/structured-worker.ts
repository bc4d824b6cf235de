/** Entry of the threads of `openStructuredChecks`. */
import { parentPort } from 'node:worker_threads';
import { answerJob } from '../../kernel/kit/job-worker.ts';
import { createStructuredWork, type StructuredJob } from './structured-job.ts';

const port = parentPort;
const work = createStructuredWork();
port?.on('message', (job: StructuredJob) => void answerJob(port, () => work(job)));
