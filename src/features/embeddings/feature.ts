import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature, type Feature } from '../../kernel/feature.ts';
import { embeddingConfig, type embeddingKeys } from './config.ts';
import type { EmbeddingEngineDeclaration } from './define-engine.ts';
import type { EmbeddingEngine } from './embedding.ts';
import { embeddingEngines } from './engines/index.ts';
import { openEmbeddings } from './open-embeddings.ts';
import { embeddingOperations } from './wire/operation.ts';

export { defineEmbeddingEngine } from './define-engine.ts';
export { vectorsOf, type EmbeddingEngine } from './embedding.ts';
export { openWordsEngine } from './engines/words/index.ts';
export { openEmbeddings } from './open-embeddings.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof embeddingKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly embeddings: EmbeddingEngine;
  }
}

/** Texts as vectors. */
export const embeddingFeature = (engines: readonly EmbeddingEngineDeclaration[]): Feature =>
  defineFeature({
    name: 'embeddings',
    needs: ['openEncoder'],
    config: embeddingConfig(engines),
    gives: ['embeddings'],
    open: async ({ config, kernel: { log }, services: { openEncoder }, keep }) => ({
      embeddings: await keep(openEmbeddings(config, log, openEncoder, engines)),
    }),
    operations: embeddingOperations,
  });

export const feature = embeddingFeature(embeddingEngines);
