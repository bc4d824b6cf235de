import type { Api } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { addEvent, isUnderWay, toRun, type Run } from './run.ts';
import type { AgentEvent, AgentResponse } from './wire.ts';

/** Attempts to resume a broken stream. */
const resumesMax = 5;
const pauseMs = 1_000;

export interface Following {
  readonly api: Api;
  readonly signal: AbortSignal;
  /** Called with the run after each event. */
  readonly onRun: (run: Run) => void;
}

/** Makes a response and reads it to its end. Rejects when it cannot be made, or cannot be followed any more. */
export async function followNew(run: Run, body: object, following: Following): Promise<void> {
  const { api, signal } = following;
  const events = api.stream<AgentEvent>({ path: '/v1/agent', body: { ...body, stream: true }, signal });
  await resume(await read(run, events, following), following);
}

/** Reads a stored response; one that is still being made, from its first event to its end. */
export async function followStored(id: string, following: Following): Promise<void> {
  const { api, signal, onRun } = following;
  const { body } = await api.call<AgentResponse>({ path: pathOf(id), signal });
  const run = toRun(body, null);
  onRun(run);
  if (isUnderWay(run)) await resume(run, following);
}

/** Takes a stream that broke off up again after the last event that came. */
async function resume(begun: Run, following: Following): Promise<void> {
  const { api, signal } = following;
  let run = begun;
  for (let tries = 0; isUnderWay(run); tries++) {
    signal.throwIfAborted();
    if (run.response === null || tries === resumesMax) throw new Error('The stream broke off.');
    if (tries > 0) await pause(signal);
    const query = { stream: 'true', starting_after: run.sequence };
    run = await read(
      run,
      api.stream<AgentEvent>({ path: pathOf(run.response.id), query, signal }),
      following,
    );
  }
}

/** The run as far as the stream went; that it broke is no failure yet, that it was refused is one. */
async function read(
  begun: Run,
  events: AsyncIterable<AgentEvent>,
  { signal, onRun }: Following,
): Promise<Run> {
  let run = begun;
  try {
    for await (const event of events) {
      run = addEvent(run, event);
      onRun(run);
    }
  } catch (error) {
    const isRefusal = error instanceof ApiFailure && error.status >= 400;
    if (isRefusal || signal.aborted || run.response === null) throw error;
  }
  return run;
}

export function pathOf(id: string): string {
  return `/v1/agent/${encodeURIComponent(id)}`;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
