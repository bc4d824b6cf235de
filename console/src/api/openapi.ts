import { useEffect, useState } from 'react';
import type { Api } from './call.ts';

const read = new WeakMap<Api, Promise<unknown>>();

/** The description that the server publishes. It has half a megabyte, so it is fetched once per sign-in. */
export function readOpenapi(api: Api): Promise<unknown> {
  const known = read.get(api);
  if (known !== undefined) return known;
  const reading = api.call<unknown>({ path: '/openapi.json' }).then(({ body }) => body);
  read.set(api, reading);
  reading.catch(() => read.delete(api));
  return reading;
}

/** The same as a hook; null until it is loaded. */
export function useOpenapi(api: Api): { readonly body: unknown; readonly failure: unknown } {
  const [state, setState] = useState<{ body: unknown; failure: unknown }>({ body: null, failure: null });
  useEffect(() => {
    let isShown = true;
    const load = async (): Promise<void> => {
      try {
        const body = await readOpenapi(api);
        if (isShown) setState({ body, failure: null });
      } catch (failure) {
        if (isShown) setState({ body: null, failure });
      }
    };
    void load();
    return () => {
      isShown = false;
    };
  }, [api]);
  return state;
}
