import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Config } from '../../kernel/config.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { openOutbound } from '../../kernel/kit/outbound.ts';
import { toTrial, type Trial } from '../../kernel/kit/trial.ts';

/** What one upstream of the configuration said to a request for its list of models. */
export interface TriedUpstream {
  /** Its place in the configuration: `decisions.upstreams[0]`. */
  readonly key: string;
  readonly host: string;
  readonly hasKey: boolean;
  readonly trial: Trial;
}

interface Upstream {
  readonly url: string;
  readonly key: string | null;
}

const responseBytesMax = 16_777_216;

/** Asks each upstream for its list of models, all at the same time: that costs nothing, and shows whether the key is taken. */
export async function tryUpstreams(
  config: Pick<Config, 'decisions' | 'embeddings'>,
  {
    clock,
    timeoutMs,
    signal,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly TriedUpstream[]> {
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 4 });
  try {
    return await Promise.all(
      toUpstreams(config).map(async ({ place, url, key }) => {
        const startedMs = clock.monotonic();
        const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
        const asked = { method: 'GET', url: toListAddress(url), headers, timeoutMs, signal } as const;
        const trial = toTrial(await outbound.call(asked), clock.monotonic() - startedMs);
        return { key: place, host: new URL(url).host, hasKey: key !== null, trial };
      }),
    );
  } finally {
    await outbound.close();
  }
}

function toUpstreams({ decisions, embeddings }: Pick<Config, 'decisions' | 'embeddings'>) {
  const named = (list: readonly Upstream[], place: string) =>
    list.map(({ url, key }, at) => ({ place: `${place}.upstreams[${at}]`, url, key }));
  return [
    ...named(decisions.upstreams, 'decisions'),
    ...decisions.compare.flatMap(({ upstreams }, at) => named(upstreams, `decisions.compare[${at}]`)),
    ...decisions.deciders.flatMap(({ upstreams }, at) => named(upstreams, `decisions.deciders[${at}]`)),
    ...named(embeddings.upstreams, 'embeddings'),
  ];
}

/** Addresses may end before `/v1`, at it, or with an operation. */
function toListAddress(address: string): string {
  const url = new URL(address);
  const path = withoutEndSlashes(url.pathname).replace(/\/(systemone|embeddings)$/, '');
  url.pathname = /\/v\d+$/.test(path) ? `${path}/models` : `${path}/v1/models`;
  return url.href;
}
