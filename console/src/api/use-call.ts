import { useCallback, useEffect, useState } from 'react';
import type { Api, Request } from './call.ts';
import { readAll, type List } from './read-all.ts';

export interface Loaded<Body> {
  readonly body: Body | null;
  readonly failure: unknown;
  readonly isLoading: boolean;
  /** Sends the request again, and keeps what is shown until the answer arrives. */
  readonly reload: () => void;
}

type Asked = Omit<Request, 'signal' | 'body'>;

/** Loads what a page shows. `request` null loads nothing; it is compared by its JSON. */
export function useCall<Body>(api: Api, request: Asked | null): Loaded<Body> {
  return useLoaded(api, request, readBody<Body>);
}

/** Loads a list whole. */
export function useList<Item>(api: Api, request: Asked): Loaded<List<Item>> {
  return useLoaded(api, request, readAll<Item>);
}

async function readBody<Body>(api: Api, request: Request): Promise<Body> {
  return (await api.call<Body>(request)).body;
}

/** `read` is the same function each time. */
function useLoaded<Body>(
  api: Api,
  request: Asked | null,
  read: (api: Api, request: Request) => Promise<Body>,
): Loaded<Body> {
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
        const body = await read(api, request);
        if (!abort.signal.aborted) setState({ body, failure: null, isLoading: false });
      } catch (failure) {
        if (!abort.signal.aborted) setState((before) => ({ ...before, failure, isLoading: false }));
      }
    };
    void load();
    return () => {
      abort.abort();
    };
  }, [api, wanted, round, read]);
  const reload = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  return { ...state, reload };
}
