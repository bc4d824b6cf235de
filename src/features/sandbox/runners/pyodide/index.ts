import { closeSync } from 'node:fs';
import { Fault } from '../../../../kernel/faults.ts';
import { runChild } from '../../child.ts';
import { toInput } from '../../exchange.ts';
import { toResult } from '../../outcome.ts';
import { probe } from '../../probe.ts';
import { defineRunner, type RunnerContext, type SandboxRunner } from '../../runner.ts';
import { findPackage, toCommand } from './command.ts';
import { makeSnapshot } from './snapshot.ts';

/** Python in WebAssembly, in a process that Node starts without rights. Throws `RunnerUnfit`. */
async function openPyodide({ baits, signal }: RunnerContext): Promise<SandboxRunner> {
  const folder = findPackage();
  const snapshot = await makeSnapshot(folder, baits, signal);
  const runner = createRunner(folder, snapshot);
  try {
    await probe(runner, baits, signal);
    return runner;
  } catch (error) {
    await runner.close();
    throw error;
  }
}

export const pyodide = defineRunner({ name: 'pyodide', needs: 'the package pyodide', open: openPyodide });

function createRunner(folder: string, snapshot: number): SandboxRunner {
  return {
    name: 'pyodide',
    languages: ['python'],
    async run(run, limits, signal) {
      if (run.language !== 'python') throw new Fault('invalid_value', 'This sandbox runs Python only.');
      const command = toCommand(folder, ['run'], limits);
      const child = { ...command, input: toInput(run, limits), extra: snapshot };
      return toResult(await runChild(child, limits, signal), limits);
    },
    close() {
      closeSync(snapshot);
      return Promise.resolve();
    },
  };
}
