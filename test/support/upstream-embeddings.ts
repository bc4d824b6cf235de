import { createHash } from 'node:crypto';
import type { TestScope } from './server.ts';
import { startUpstream, type Upstream, type UpstreamHandler } from './upstream.ts';

export interface EmbeddingUpstreamOptions {
  /** What comes before the real answer; undefined goes on to it. */
  readonly before?: (call: number) => ReturnType<UpstreamHandler> | undefined;
  readonly dimensions?: number;
}

/** A server of OpenAI's embeddings interface. Vectors follow from the text alone; items come in reverse order. */
export function startEmbeddingUpstream(
  t: TestScope,
  { before = () => undefined, dimensions = 1_024 }: EmbeddingUpstreamOptions = {},
): Promise<Upstream> {
  let calls = 0;
  return startUpstream(t, (request) => {
    const early = before(calls++);
    if (early !== undefined) return early;
    const { model, input } = request.body as { readonly model: string; readonly input: readonly string[] };
    if (request.path !== '/v1/embeddings' || !Array.isArray(input)) return { json: {}, status: 404 };
    if (input.length > 64) return { json: { error: { message: 'batch too large' } }, status: 422 };
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, dimensions),
    }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    return { json: { object: 'list', model, data: data.toReversed(), usage } };
  });
}

export function vectorOf(text: string, dimensions: number): number[] {
  const bytes = createHash('sha256').update(text).digest();
  return Array.from(
    { length: dimensions },
    (_, index) => ((bytes[index % 32] ?? 0) - 127) / (128 + (index >> 5)),
  );
}
