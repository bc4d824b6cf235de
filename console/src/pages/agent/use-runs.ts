import { useCallback, useEffect, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import type { Api } from '../../api/call.ts';
import { useSession } from '../../session.tsx';
import { followNew, followStored, pathOf, type Following } from './follow.ts';
import { createRun, isUnderWay, type Run } from './run.ts';

/** A run on the page. */
export interface RunEntry {
  readonly key: number;
  readonly run: Run;
  /** What was sent; null where the response was opened by its id. */
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly failure: unknown;
  /** Nothing more comes, because it ended, failed, or was left. */
  readonly isOver: boolean;
}

export interface Runs {
  readonly entries: readonly RunEntry[];
  readonly isBusy: boolean;
  /** Runs a request below the others. `input` is what it is called on the page. */
  readonly start: (request: Readonly<Record<string, unknown>>, input: string) => void;
  /** Shows a stored response in place of everything, and follows it where it is still being made. */
  readonly open: (id: string) => void;
  /** Ends what is under way. */
  readonly stop: () => void;
  /** Deletes a stored response. */
  readonly remove: (entry: RunEntry) => void;
  readonly clear: () => void;
}

/** The runs on the page; one at a time is under way. Leaving the page ends it, unless it goes on in the background. */
export function useRuns(): Runs {
  const { api } = useSession();
  const { entries, setEntries, update, follow, leave } = useEntries(api);
  const open = useCallback(
    (id: string) => {
      follow({ run: createRun(null), request: null }, [], (all) => followStored(id, all));
    },
    [follow],
  );
  const current = entries.find(({ isOver }) => !isOver);
  const cancel = async (key: number, id: string) => {
    try {
      await api.call({ method: 'POST', path: `${pathOf(id)}/cancel`, body: {} });
    } catch (failure) {
      update(key, { failure });
      leave();
    }
  };
  const remove = async ({ key, run: { response } }: RunEntry) => {
    try {
      if (response !== null) await api.call({ method: 'DELETE', path: pathOf(response.id) });
      setEntries((before) => before.filter((entry) => entry.key !== key));
    } catch (failure) {
      update(key, { failure });
    }
  };
  return {
    entries,
    isBusy: current !== undefined,
    start(request, input) {
      const run = createRun(input);
      follow({ run, request }, entries, (all) => followNew(run, request, all));
    },
    open,
    stop() {
      const response = current?.run.response ?? null;
      // A run that is not stored cannot be named, and ends when its client leaves.
      if (current === undefined || response === null || !response.store || !isUnderWay(current.run)) leave();
      else void cancel(current.key, response.id);
    },
    remove: (entry) => void remove(entry),
    clear() {
      leave();
      setEntries([]);
    },
  };
}

interface Entries {
  readonly entries: readonly RunEntry[];
  readonly setEntries: Dispatch<SetStateAction<readonly RunEntry[]>>;
  readonly update: (key: number, change: Partial<RunEntry>) => void;
  /** Adds an entry below `before` and updates it by `work`. Stops following the run before it. */
  readonly follow: (
    begun: Pick<RunEntry, 'run' | 'request'>,
    before: readonly RunEntry[],
    work: (following: Following) => Promise<void>,
  ) => void;
  readonly leave: () => void;
}

function useEntries(api: Api): Entries {
  const [entries, setEntries] = useState<readonly RunEntry[]>([]);
  const keys = useRef(0);
  const following = useRef<AbortController | null>(null);
  const leave = useCallback(() => following.current?.abort(), []);
  useEffect(() => leave, [leave]);
  const update = useCallback((key: number, change: Partial<RunEntry>) => {
    setEntries((before) => before.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)));
  }, []);
  const follow = useCallback<Entries['follow']>(
    (begun, before, work) => {
      leave();
      const abort = new AbortController();
      following.current = abort;
      const key = ++keys.current;
      setEntries([...before, { ...begun, key, failure: null, isOver: false }]);
      const onRun = (run: Run) => {
        update(key, { run });
      };
      const end = async () => {
        try {
          await work({ api, signal: abort.signal, onRun });
          update(key, { isOver: true });
        } catch (failure) {
          update(key, abort.signal.aborted ? { isOver: true } : { isOver: true, failure });
        }
      };
      void end();
    },
    [api, leave, update],
  );
  return { entries, setEntries, update, follow, leave };
}
