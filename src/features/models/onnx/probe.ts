/** Entry of the child process of `probeModel`: opens a model and writes what it is, or what is wrong, as JSON. */
import { replyWith } from '../ask-child.ts';
import type { ModelFolder } from './model-folder.ts';
import type { ProbedModel } from './probe-model.ts';
import { OnnxProblem } from './problem.ts';
import { givesSameTogether } from './same-together.ts';
import { openBoth } from './thread-job.ts';

async function probe(model: ModelFolder): Promise<ProbedModel> {
  const before = process.memoryUsage.rss();
  const { tokenize, graph } = await openBoth(model);
  const values = await graph.run(graph.sample);
  if (!values.every(Number.isFinite)) throw new OnnxProblem('the model gives no numbers');
  const { kind, runtime } = graph;
  const memoryBytes = Math.max(0, process.memoryUsage.rss() - before);
  const evaluatesTogether =
    model.evaluatesTogether || (await givesSameTogether(graph, tokenize, model.tokensMax));
  return { kind, runtime, dimensions: values.length, memoryBytes, evaluatesTogether };
}

await replyWith((model) => probe(model as ModelFolder));
