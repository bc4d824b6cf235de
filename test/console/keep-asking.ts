import type { TestServer } from '../support/server.ts';

const request = {
  model: 'svc-decider-v1-27b',
  state: 'My parcel is late and nobody answers. '.repeat(200),
  questions: Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      `q${at}`,
      { type: 'noul', instructions: `Is it about parcel ${at}?` },
    ]),
  ),
};

/** Asks decisions, three at a time, until it is told to stop: rows of batches stand back before what somebody waits for. */
export function keepAsking({ post }: Pick<TestServer, 'post'>): () => Promise<unknown> {
  const stopped = new AbortController();
  const asked = Array.from({ length: 3 }, async () => {
    while (!stopped.signal.aborted) await post('/v1/decisions', request);
  });
  return () => {
    stopped.abort();
    return Promise.all(asked);
  };
}
