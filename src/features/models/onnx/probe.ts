/** Entry of the child process of `probeModel`: opens a model and writes what it is, or what is wrong, as JSON. */
import { replyWith } from '../ask-child.ts';
import { OnnxProblem, type ModelFolder } from './model-folder.ts';
import type { ProbedModel } from './probe-model.ts';
import { openBoth, sampleText } from './thread-job.ts';

async function probe(model: ModelFolder): Promise<ProbedModel> {
  const before = process.memoryUsage.rss();
  const { tokenize, graph } = await openBoth(model);
  const values = await graph.run(tokenize(sampleText));
  if (!values.every(Number.isFinite)) throw new OnnxProblem('the model gives no numbers');
  const { kind, runtime } = graph;
  const memoryBytes = Math.max(0, process.memoryUsage.rss() - before);
  return { kind, runtime, dimensions: values.length, memoryBytes };
}

await replyWith((model) => probe(model as ModelFolder));
