import { useCallback, useEffect, useState } from 'react';
import type { Api, Request } from './call.ts';

export interface Loaded<Body> {
  readonly body: Body | null;
  readonly failure: unknown;
  readonly isLoading: boolean;
  /** Sends the request again, and keeps what is shown until the answer arrives. */
  readonly reload: () => void;
}

/** Loads what a page shows. `request` null loads nothing; it is compared by its JSON. */
export function useCall<Body>(api: Api, request: Omit<Request, 'signal' | 'body'> | null): Loaded<Body> {
  const [state, setState] = useState<{ body: Body | null; failure: unknown; isLoading: boolean }>({
    body: null,
    failure: null,
    isLoading: request !== null,
  });
  const [round, setRound] = useState(0);
  const wanted = JSON.stringify(request);
  useEffect(() => {
    if (wanted === 'null') return;
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    const load = async (): Promise<void> => {
      try {
        const request = { ...(JSON.parse(wanted) as Request), signal: abort.signal };
        const { body } = await api.call<Body>(request);
        if (!abort.signal.aborted) setState({ body, failure: null, isLoading: false });
      } catch (failure) {
        if (!abort.signal.aborted) setState((before) => ({ ...before, failure, isLoading: false }));
      }
    };
    void load();
    return () => {
      abort.abort();
    };
  }, [api, wanted, round]);
  const reload = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  return { ...state, reload };
}
