import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Api } from '../../api/call.ts';
import type { Decision } from './answers.ts';
import { runBatch, type Outcome } from './batch.ts';
import type { TableWork } from './kept.ts';
import { rowByRowMax, runServerBatch, stopped } from './server-batch.ts';

export interface Batch {
  readonly isRunning: boolean;
  readonly outcomes: readonly (Outcome | null)[];
  readonly answered: number;
  readonly errors: number;
  /** How long the server wants no further request; 0 when it takes them. Unit: ms. */
  readonly waitMs: number;
  /** Rows with an outcome since this run began, and how long that took. */
  readonly run: { readonly rows: number; readonly tookMs: number };
  /** What ended the run before its time. */
  readonly failure: unknown;
  /** The batch of the server that the rows were sent as; null where they are asked one by one. */
  readonly serverBatch: string | null;
}

export interface BatchRun {
  /** What a batch of the server is called. */
  readonly name: string;
  readonly model: string;
  readonly questions: unknown;
  readonly rows: readonly number[];
  readonly stateOf: (row: number) => string;
  /** Names what is asked, so that answers to something else are not mixed in. */
  readonly askedWith: string;
  readonly rowCount: number;
}

export interface UsedBatch {
  readonly batch: Batch;
  readonly start: (run: BatchRun) => void;
  readonly stop: () => void;
}

type Kept = Pick<TableWork, 'askedWith' | 'outcomes'>;

/** Interval at which new results are rendered, in ms. */
const showEveryMs = 250;
/** Of tables that take longer to count. */
const showLargeEveryMs = 2_000;
const largeRows = 20_000;

/** Asks the rows of a table. What came in is kept when the run ends, and when the page is left. */
export function useBatch(
  api: Api,
  { outcomes: kept }: Pick<Kept, 'outcomes'>,
  keep: (part: Kept) => void,
): UsedBatch {
  const running = useRef<StartedRun | null>(null);
  const [live, setLive] = useState<Batch | null>(null);
  const stop = useCallback(() => {
    running.current?.stop();
  }, []);
  const start = useCallback(
    (run: BatchRun) => {
      const started = startRun(api, run, kept);
      running.current = started;
      setLive(started.snapshot(true));
      const timer = setInterval(
        () => {
          setLive(started.snapshot(true));
        },
        run.rowCount > largeRows ? showLargeEveryMs : showEveryMs,
      );
      void started.ended.finally(() => {
        clearInterval(timer);
        running.current = null;
        keep(started.toKept());
        setLive(started.snapshot(false));
      });
    },
    [api, keep, kept],
  );
  useLeaving(running, keep);
  const isLive = live !== null && (live.isRunning || kept.length > 0);
  return { batch: isLive ? live : toBatch(kept), start, stop };
}

/** Keeps what a run has so far when the page is left, and warns who would lose a run by a reload. */
function useLeaving(running: { readonly current: StartedRun | null }, keep: (part: Kept) => void): void {
  useEffect(() => {
    const keepNow = () => {
      if (running.current !== null) keep(running.current.toKept());
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (running.current?.goesOn() === false) event.preventDefault();
    };
    // Before the page writes what it keeps, which it does when the same event bubbles.
    addEventListener('pagehide', keepNow, { capture: true });
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('pagehide', keepNow, { capture: true });
      removeEventListener('beforeunload', warn);
    };
  }, [running, keep]);
  // A layout effect ends before the effects of the page around it, which writes what it keeps then.
  useLayoutEffect(
    () => () => {
      if (running.current === null) return;
      keep(running.current.toKept());
      running.current.leave();
    },
    [running, keep],
  );
}

interface StartedRun {
  readonly snapshot: (isRunning: boolean) => Batch;
  readonly toKept: () => Kept;
  readonly stop: () => void;
  /** Stops following it; a batch of the server goes on. */
  readonly leave: () => void;
  readonly goesOn: () => boolean;
  readonly ended: Promise<void>;
}

function startRun(api: Api, run: BatchRun, kept: Kept['outcomes']): StartedRun {
  const abort = new AbortController();
  const asked = new Set(run.rows);
  const outcomes = Array.from({ length: run.rowCount }, (_, row) =>
    asked.has(row) ? null : (kept[row] ?? null),
  );
  const begunMs = performance.now();
  const state: { rows: number; waitMs: number; failure: unknown; serverBatch: string | null } = {
    rows: 0,
    waitMs: 0,
    failure: null,
    serverBatch: null,
  };
  const finish = async () => {
    const options = {
      rows: run.rows,
      onOutcome: (row: number, outcome: Outcome) => {
        outcomes[row] = outcome;
        state.rows += 1;
      },
      onWait: (waitMs: number) => {
        state.waitMs = waitMs;
      },
      wait,
      signal: abort.signal,
    };
    state.failure = await (run.rows.length > rowByRowMax
      ? runServerBatch({
          ...options,
          ...run,
          api,
          onBatch: (id) => {
            state.serverBatch = id;
          },
        })
      : runBatch({ ...options, ask: (row, signal) => askRow(api, run, row, signal) }));
  };
  return {
    snapshot: (isRunning) => ({
      ...countOf(outcomes),
      isRunning,
      // Another one each time, so that what is counted from it is counted anew.
      outcomes: [...outcomes],
      waitMs: isRunning ? state.waitMs : 0,
      run: { rows: state.rows, tookMs: performance.now() - begunMs },
      failure: state.failure,
      serverBatch: state.serverBatch,
    }),
    toKept: () => ({ askedWith: run.askedWith, outcomes: [...outcomes] }),
    stop: () => {
      abort.abort(stopped);
    },
    leave: () => {
      abort.abort();
    },
    goesOn: () => state.serverBatch !== null,
    ended: finish(),
  };
}

async function askRow(api: Api, run: BatchRun, row: number, signal: AbortSignal): Promise<Decision> {
  const body = { model: run.model, state: run.stateOf(row), questions: run.questions };
  return (await api.call<Decision>({ path: '/v1/decisions', body, signal })).body;
}

function toBatch(outcomes: readonly (Outcome | null)[]): Batch {
  return {
    ...countOf(outcomes),
    isRunning: false,
    outcomes,
    waitMs: 0,
    run: { rows: 0, tookMs: 0 },
    failure: null,
    serverBatch: null,
  };
}

function countOf(outcomes: readonly (Outcome | null)[]): Pick<Batch, 'answered' | 'errors'> {
  const answered = outcomes.reduce((count, outcome) => count + (outcome === null ? 0 : 1), 0);
  const errors = outcomes.reduce((count, outcome) => count + (outcome?.error === undefined ? 0 : 1), 0);
  return { answered, errors };
}

async function wait(waitMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
