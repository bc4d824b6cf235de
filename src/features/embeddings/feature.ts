import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { embeddingConfig, type embeddingKeys } from './config.ts';
import type { EmbeddingEngine } from './embedding.ts';
import { openEmbeddings } from './open-embeddings.ts';
import { embeddingOperations } from './wire/operation.ts';

export type { EmbeddingEngine } from './embedding.ts';
export { openBaselineEngine } from './engines/baseline/index.ts';
export { openEmbeddings } from './open-embeddings.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof embeddingKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly embeddings: EmbeddingEngine;
  }
}

/** Texts as vectors. */
export const feature = defineFeature({
  name: 'embeddings',
  config: embeddingConfig,
  gives: ['embeddings'],
  open: async ({ config, kernel: { log }, keep }) => ({
    embeddings: await keep(openEmbeddings(config, log)),
  }),
  operations: embeddingOperations,
});
