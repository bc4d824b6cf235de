/** Entry of the child process of `probeModel`: opens a model and writes what it is, or what is wrong, as JSON. */
import { stdout } from 'node:process';
import { OnnxProblem, type ModelFolder } from './model-folder.ts';
import { openBoth, sampleText } from './thread-job.ts';
import type { Probed } from './probe-model.ts';

async function probe(model: ModelFolder): Promise<Probed> {
  const before = process.memoryUsage.rss();
  try {
    const { tokenize, graph } = await openBoth(model);
    const values = await graph.run(tokenize(sampleText));
    if (!values.every(Number.isFinite)) return { problem: 'the model gives no numbers' };
    const { kind, runtime } = graph;
    const memoryBytes = Math.max(0, process.memoryUsage.rss() - before);
    return { found: { kind, runtime, dimensions: values.length, memoryBytes } };
  } catch (error) {
    if (error instanceof OnnxProblem) return { problem: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: reason.replaceAll(/\s+/g, ' ').slice(0, 300) };
  }
}

stdout.write(JSON.stringify(await probe(JSON.parse(process.argv[2] ?? '') as ModelFolder)));
