import { useEffect, useState } from 'react';
import type { Api } from './call.ts';

const read = new WeakMap<Api, Promise<boolean>>();

function readPrices(api: Api): Promise<boolean> {
  const known = read.get(api);
  if (known !== undefined) return known;
  const reading = api
    .call({ path: '/v1/models' })
    .then(({ headers }) => headers.get('x-nestor-prices') === 'configured');
  read.set(api, reading);
  reading.catch(() => read.delete(api));
  return reading;
}

/** Whether costs mean something on this server: somebody has set a price. False until that is known. */
export function usePrices(api: Api): boolean {
  const [areSet, setSet] = useState(false);
  useEffect(() => {
    let isShown = true;
    const load = async (): Promise<void> => {
      // A page says what failed of its own; costs are a note beside it.
      const known = await readPrices(api).catch(() => false);
      if (isShown) setSet(known);
    };
    void load();
    return () => {
      isShown = false;
    };
  }, [api]);
  return areSet;
}
