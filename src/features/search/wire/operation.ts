import {
  accountOf,
  defineOperation,
  ok,
  perSecond,
  type Operation,
  type Reply,
} from '../../../kernel/http/operation.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { AskedEngines } from '../asked-engines.ts';
import { toJob, toList, toResult } from './convert.ts';
import { SearchRequest, SearchResponse } from './schema.ts';

/** A body of exactly this many bytes is refused. */
const bytesMax = 33_554_432;
const timeoutMs = 60_000;

/** Unit: USD per query, found or not. */
const priceUsd = 0.005;

const bucket = perSecond('search', 50);

/** `POST /search`. Contract 11.1. */
export function searchOperations({ priceOf }: Settings): readonly Operation<Services>[] {
  const priceUsdPerQuery = priceOf('search', 'input') ?? priceUsd;
  return [
    defineOperation({
      id: 'createSearch',
      isBilled: true,
      summary: 'Finds pages, with the passages of them that fit',
      group: 'search',
      method: 'POST',
      paths: ['/search', '/v1/search'],
      surface: 'search',
      credentials: 'bearer',
      buckets: [bucket],
      body: { schema: SearchRequest, bytesMax },
      responses: { 200: SearchResponse },
      timeoutMs,
      async handle({ body, principal, signal }, { search, ids, clock }: Services): Promise<Reply> {
        const job = toJob(body);
        const { queries, budget } = job;
        const account = accountOf(principal);
        const asked = new AskedEngines();
        const rankings = await Promise.all(
          queries.map((query) => search.find(query, budget, signal, account, asked.note)),
        );
        const results = toList(rankings, job).map(toResult);
        const time =
          body.display_server_time === true ? { server_time: new Date(clock.now()).toISOString() } : {};
        return ok({ id: ids.uuid(), results, ...time }, asked.toHeaders(), {
          model: null,
          inputTokens: 0,
          outputTokens: 0,
          otherUnits: { queries: queries.length },
          costParts: { search: queries.length * priceUsdPerQuery },
        });
      },
    }),
  ];
}
