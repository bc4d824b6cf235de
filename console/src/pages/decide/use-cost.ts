import { useEffect, useState } from 'react';
import type { Api } from '../../api/call.ts';
import type { Reply } from './use-ask.ts';

interface UsageList {
  readonly data: readonly { readonly request_id: string; readonly cost_usd: number }[];
}

/** Delays of the two reads, in ms: usage reaches the ledger within a second, later on a busy server. */
const waitsMs = [1_200, 4_000];

/** What the requests cost, by request id, out of the ledger of the account. Empty until it is known. */
export function useCosts(api: Api, replies: readonly Reply[]): ReadonlyMap<string, number> {
  const [costs, setCosts] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const answered = replies.filter(({ requestId }) => requestId !== null);
    if (answered.length === 0) return;
    const abort = new AbortController();
    const ids = new Set(answered.map(({ requestId }) => requestId));
    const from =
      Math.floor(Math.min(...answered.map(({ answeredAt, tookMs }) => answeredAt - tookMs / 1_000))) - 1;
    const look = async (waitMs: number) => {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (abort.signal.aborted) return true;
      const query = { from, limit: 1_000 };
      const { body } = await api.call<UsageList>({ path: '/v1/account/usage', query, signal: abort.signal });
      const found = body.data.filter(({ request_id: id }) => ids.has(id));
      setCosts(new Map(found.map(({ request_id: id, cost_usd: cost }) => [id, cost])));
      return found.length === ids.size;
    };
    const lookUp = async () => {
      for (const waitMs of waitsMs) if (await look(waitMs)) return;
    };
    // The cost is a note beside the answer: where this key may not read it, it is not there.
    lookUp().catch(() => {});
    return () => {
      abort.abort();
    };
  }, [api, replies]);
  return costs;
}
