import { Type } from 'typebox';
import { ApiError, awaitJob, startResearch, type Job } from '../../client/feature.ts';
import { Sources, toAnswered } from '../sources.ts';
import { defineTool, InputError, type ToolResult } from '../tool.ts';
import { Strict } from '../../../kernel/kit/schema.ts';

const waitDefaultS = 600;
const waitMaxS = 1_200;

/** `research`: a thorough report, written in the background; this waits for it. */
export const researchTool = defineTool({
  name: 'research',
  title: 'Research',
  description:
    'Researches a question thoroughly over several rounds of searching and reading and writes a report with sources. Takes minutes. When it is not done within `wait_seconds` the result names a job; call again with that `job_id` to go on waiting.',
  inputSchema: Strict({
    question: Type.Optional(
      Type.String({ minLength: 1, description: 'What to find out. Left out with job_id.' }),
    ),
    job_id: Type.Optional(
      Type.String({ minLength: 1, description: 'Wait for research that was started before.' }),
    ),
    effort: Type.Optional(
      Type.Enum(['low', 'medium', 'high'], { type: 'string', description: 'Default medium.' }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: waitMaxS, description: `Default ${waitDefaultS}.` }),
    ),
    model: Type.Optional(
      Type.String({ description: "A chat model; the server's own for research when left out." }),
    ),
  }),
  outputSchema: Type.Object({
    job_id: Type.String(),
    status: Type.Enum(['COMPLETED', 'IN_PROGRESS'], { type: 'string' }),
    answer: Type.Optional(Type.String()),
    sources: Type.Optional(Sources),
  }),
  annotations: { idempotentHint: false, openWorldHint: true },
  async run({ question, job_id: jobId, effort, wait_seconds: waitS = waitDefaultS, model }, context) {
    const { api, names, progress, signal } = context;
    if ((question === undefined) === (jobId === undefined)) {
      throw new InputError('Give either question or job_id.');
    }
    const start = async (asked: string) => {
      const chosen = model ?? (await names(signal)).research;
      const fields = effort === undefined ? {} : { reasoning_effort: effort };
      return (await startResearch(api, { question: asked, model: chosen, fields }, signal)).id;
    };
    const id = question === undefined ? (jobId ?? '') : await start(question);
    const over = AbortSignal.timeout(waitS * 1_000);
    let looks = 0;
    try {
      const job = await awaitJob(api, id, {
        signal: AbortSignal.any([signal, over]),
        onLook: ({ status }) =>
          progress(`${status === 'CREATED' ? 'waiting' : 'researching'}, look ${++looks}`),
      });
      return toResult(job);
    } catch (error) {
      if (signal.aborted || !over.aborted) throw error;
      return {
        text: `Still researching. Call research again with job_id ${id} to go on waiting.`,
        data: { job_id: id, status: 'IN_PROGRESS' },
      };
    }
  },
});

function toResult({ id, answer, errorMessage }: Job): ToolResult {
  if (answer === null) throw new ApiError(errorMessage ?? 'The research failed.');
  const { text, sources } = toAnswered(answer.text, answer.sources);
  return { text, data: { job_id: id, status: 'COMPLETED', answer: answer.text, sources } };
}
