import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '../../api/call.ts';
import { readOpenapi } from '../../api/openapi.ts';
import type { DeciderList } from '../deciders/wire.ts';
import { toEngineNames } from './engine-names.ts';

export interface UsedEngineNames {
  /** Null until they are asked for. */
  readonly names: readonly string[] | null;
  readonly isLoading: boolean;
  readonly failure: unknown;
  readonly load: () => void;
}

/** Names under which this server decides. They stand in a long document, so it is only read when somebody wants them. */
export function useEngineNames(api: Api): UsedEngineNames {
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  const load = useCallback(() => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    setLoading(true);
    setFailure(null);
    const read = async () => {
      try {
        const [openapi, own] = await Promise.all([
          readOpenapi(api),
          api.call<DeciderList>({ path: '/v1/deciders', signal: mine.signal }),
        ]);
        if (!mine.signal.aborted) setNames(toEngineNames(openapi, own.body.deciders));
      } catch (error) {
        if (!mine.signal.aborted) setFailure(error);
      }
      if (!mine.signal.aborted) setLoading(false);
    };
    void read();
  }, [api]);
  useEffect(
    () => () => {
      abort.current?.abort();
    },
    [],
  );
  return { names, isLoading, failure, load };
}
