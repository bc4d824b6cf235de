import type { ChildOutcome } from './child.ts';
import { fromReport } from './exchange.ts';
import type { SandboxLimits, SandboxResult } from './runner.ts';

const killNotes = {
  time: 'The time was over.',
  memory: 'The memory limit was reached.',
  output: 'Too much was written.',
  processes: 'There were too many processes.',
} as const;
/** Exit code that a shell gives for a killed process. */
const killedExitCode = 137;

/** The result of a run: how its child ended, and the report of the supervisor inside. */
export function toResult(outcome: ChildOutcome, limits: SandboxLimits): SandboxResult {
  const { killed, stdout, durationMs } = outcome;
  const report = killed === null ? fromReport(outcome.report, limits) : null;
  if (report === null) {
    const note = killed === null ? 'The code ended the sandbox itself.' : killNotes[killed];
    return {
      status: killed === 'time' ? 'timed_out' : 'failed',
      stdout,
      stderr: withNote(outcome.stderr, note),
      exitCode: killedExitCode,
      durationMs,
      files: [],
      gone: [],
    };
  }
  const { exitCode, isOutOfTime, files, gone, filesLeftOut } = report;
  const status = isOutOfTime ? 'timed_out' : exitCode === 0 ? 'completed' : 'failed';
  const stderr =
    filesLeftOut === 0
      ? outcome.stderr
      : withNote(
          outcome.stderr,
          `${filesLeftOut} files were too many, too large or badly named and are not kept.`,
        );
  return { status, stdout, stderr, exitCode, durationMs, files, gone };
}

function withNote(stderr: string, note: string): string {
  return stderr === '' ? note : `${stderr}\n${note}`;
}
