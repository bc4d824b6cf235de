import { findProgram, runChild, systemFolders, unprivileged } from '../../child.ts';
import { toInput } from '../../exchange.ts';
import { toResult } from '../../outcome.ts';
import { probe } from '../../probe.ts';
import {
  defineRunner,
  RunnerUnfit,
  type RunnerContext,
  type SandboxLimits,
  type SandboxRunner,
} from '../../runner.ts';
import { toMemoryFolders, toNamespaces, type Features } from './namespaces.ts';
import { toSeccomp } from './seccomp.ts';
import { supervisor } from './supervisor.ts';

/** The two of bubblewrap and the supervisor. */
const processesBeside = 3;

/** Namespaces of the kernel. Takes the strictest set of features that works here; throws `RunnerUnfit`. */
async function openBubblewrap({ baits, signal }: RunnerContext): Promise<SandboxRunner> {
  const programs = findPrograms();
  let unfit = new RunnerUnfit('not tried');
  for (const features of featureSets) {
    const runner = createRunner(programs, features);
    try {
      await probe(runner, baits, signal);
      return runner;
    } catch (error) {
      if (!(error instanceof RunnerUnfit)) throw error;
      unfit = error;
    }
  }
  throw unfit;
}

export const bubblewrap = defineRunner({
  name: 'bubblewrap',
  needs: 'bubblewrap and python3',
  open: openBubblewrap,
});

const featureSets: readonly Features[] = [true, false].flatMap((hasProc) =>
  [true, false].map((canDisableUserns) => ({ hasProc, canDisableUserns })),
);

function findPrograms() {
  const bwrap = findProgram('bwrap');
  const prlimit = findProgram('prlimit');
  const python = findProgram('python3', [...systemFolders, '/usr/local/bin']);
  if (bwrap === null) throw new RunnerUnfit('bubblewrap is not installed');
  if (prlimit === null) throw new RunnerUnfit('prlimit is not installed');
  if (python === null) throw new RunnerUnfit('the system has no python3');
  return { bwrap, prlimit, python };
}

function createRunner(
  { bwrap, prlimit, python }: ReturnType<typeof findPrograms>,
  features: Features,
): SandboxRunner {
  const filter = toSeccomp(process.arch);
  return {
    name: 'bubblewrap',
    languages: ['python', 'bash'],
    async run(run, limits, signal) {
      const args = [
        ...toLimits(limits),
        '--',
        bwrap,
        ...toNamespaces(limits, python, features, filter !== null),
        '--',
        python,
        // Nothing of the working folder is imported, and nothing that is not needed.
        '-I',
        '-S',
        '-B',
        '-c',
        supervisor,
      ];
      const child = {
        file: prlimit,
        args,
        input: toInput(run, limits),
        ...unprivileged,
        ...(filter === null ? {} : { extra: filter }),
        memoryFolders: toMemoryFolders(limits),
        processesBeside,
      };
      return toResult(await runChild(child, limits, signal), limits);
    },
    close: () => Promise.resolve(),
  };
}

/** For each process inside. The number of processes is limited inside, where only those of one run count. */
function toLimits({ memoryBytesMax, cpuMs, filesBytesMax }: SandboxLimits): readonly string[] {
  const cpuS = Math.max(1, Math.ceil(cpuMs / 1_000));
  return [
    `--as=${memoryBytesMax}`,
    // The first signal can be recognized; the second cannot be ignored.
    `--cpu=${cpuS}:${cpuS + 1}`,
    `--fsize=${filesBytesMax}`,
    '--nofile=256',
    '--core=0',
  ];
}
