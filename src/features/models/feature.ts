import type { ConfigOf, Config } from '../../kernel/config.ts';
import { defineFeature, type Feature } from '../../kernel/feature.ts';
import { modelConfig, type modelKeys } from './config.ts';
import { encoderPath, encoderSuits, shareEncoder, type OpenEncoder } from './encoder.ts';
import type { ProviderDeclaration } from './define-provider.ts';
import type { Finding as FoundModels } from './detect.ts';
import { shareLocalModels, type OpenLocal } from './local-models.ts';
import type { CuratedModel } from './curated/list.ts';
import type { HubVariables } from './hub.ts';
import type { createModelPulls, ModelPulls } from './installed/pulls.ts';
import { createLikeness, type Likeness } from './likeness.ts';
import { createFetchMedia, type FetchMedia } from './media.ts';
import type { Provider } from './model.ts';
import { openStructuredChecks, type StructuredChecks } from './open-structured-checks.ts';
import { openModels, type ServerModels } from './open-server-models.ts';
import { modelProviders } from './providers/index.ts';
import type { Models } from './registry.ts';
import type { KnownLocalServer } from './services.ts';
import { modelOperations } from './wire/operation.ts';

export { embeddedName } from './catalog.ts';
export { defineProvider, modelKey } from './define-provider.ts';
export { openEncoderCache, type EncoderCache } from './encoder-cache.ts';
export {
  encoderPath,
  encoderSuits,
  readerPath,
  shareEncoder,
  type Encoder,
  type OpenEncoder,
} from './encoder.ts';
export { type OpenLocal, refuseAll, toEvaluationFault } from './local-models.ts';
export {
  type FetchMedia,
  type Media,
  type Remote,
  checkBase64,
  dataUrl,
  readDataImage,
  conversationBytesMax,
  documentTypes,
  fetchRemotes,
  imageTypes,
} from './media.ts';
export type { Likeness } from './likeness.ts';
export { withQuestion } from './continuation.ts';
export { toBlocks } from './providers/extractive/markdown.ts';
export { rowText } from './providers/extractive/units.ts';
export { splitSentences } from './providers/extractive/sentences.ts';
export { needsModel } from './upstream-fault.ts';
export { findModels, type Finding as FoundModels } from './detect.ts';
export { knownLocalServers, knownServices, type KnownLocalServer } from './services.ts';
export { openModelTools } from './open-server-models.ts';
export {
  emptyRequest,
  type AssistantPart,
  type CacheMark,
  type Effort,
  type FinishReason,
  type FunctionTool,
  type MessagesFields,
  type ModelEvent,
  type ModelPrice,
  type ModelRequest,
  type ModelUsage,
  type OutputFormat,
  type Thought,
  type ToolCall,
  type ToolChoice,
  type ToolResult,
  type Turn,
  type UserPart,
} from './model.ts';
export type { KnownModel, ModelPulls } from './installed/pulls.ts';
export { findModelFolder } from './onnx/model-folder.ts';
export { openBehind } from './onnx/open-behind.ts';
export { OnnxProblem } from './onnx/problem.ts';
export {
  openOnnxModel,
  type OnnxModel,
  type OnnxModelOptions,
  type OnnxThread,
} from './onnx/open-onnx-model.ts';
export type { Row, RowText } from './onnx/row.ts';
export { delimitersOf, labelsEnd, labelToken, optionMark } from './onnx/forms.ts';
export type { StructuredChecks } from './open-structured-checks.ts';
export { costPartsOf, freePrice } from './pricing.ts';
export {
  type LocalEmbedder,
  type LocalEmbedderOptions,
  type LocalModel,
  type LocalModelOptions,
  LocalModelProblem,
  type NextToken,
  type Suffix,
  findEmbeddingFile,
  openLocalEmbedder,
  openLocalModel,
} from './providers/local/engine.ts';
export { findDecidingFile } from './providers/local/chat-file.ts';
export type { CatalogEntry, Models, OpenedStream } from './registry.ts';
export { type OutputCheck, type StructuredAttempt, addUsage, askStructured } from './structured.ts';
export { plainUsage } from './sound-usage.ts';
export { countRequestTokens, estimateRequestTokens } from './token-estimate.ts';
export {
  CompletionCall,
  CompletionContent,
  CompletionTool,
  CompletionToolChoice,
  JsonSchemaFormat,
  TextPart,
  toFunctionTool,
  tokensMaxOf,
  toolChoiceMessage,
  toSchemaFormat,
  toToolChoice,
} from './wire/completions.ts';
export { toPricing } from './wire/convert.ts';
export { customParameters, describeCustom, inputOf } from './wire/custom-tools.ts';
export { Pricing } from './wire/schema.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof modelKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly models: Models;
    /** Whether answers have the format that a caller asked for. */
    readonly structured: StructuredChecks;
    /** Opens GGUF files for all who use them in this process. */
    readonly openLocal: OpenLocal;
    /** Opens the sentence encoder that ships, once for all who use it; null where the memory is too small for it. */
    readonly openEncoder: OpenEncoder | null;
    /** Compares short texts by the same encoder; null where there is none. */
    readonly likeness: Likeness | null;
    /** Reads images and documents that a caller names by address; absent where nothing may be fetched. */
    readonly fetchMedia?: FetchMedia;
  }

  interface Overrides {
    /** Providers that replace those of the configuration. */
    readonly providers?: readonly Provider[];
    /** The encoder that ships, or null for a machine that is too small for it. */
    readonly openEncoder?: OpenEncoder | null;
    /** Ports on which model servers are looked for, in place of the usual ones. */
    readonly localServers?: readonly KnownLocalServer[];
    /** How the Hugging Face Hub is reached. */
    readonly hub?: HubVariables;
    /** Models that can be pulled by name, in place of those that ship. */
    readonly knownModels?: readonly CuratedModel[];
    /** How often providers are asked for their models again. Unit: ms. */
    readonly refreshMs?: { readonly all: number; readonly down: number };
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    openModels(config: Config): Promise<ServerModels>;
    /** What could answer here without being configured. */
    findModels(config: Config, signal: AbortSignal): Promise<readonly FoundModels[]>;
    /** HF_ENDPOINT, HF_TOKEN and HTTPS_PROXY, as the tools of Hugging Face read them. */
    readonly hub: HubVariables;
  }
}

/** The models in the data folder, and pulls of those that are known. Loaded with the first call: few servers are asked. */
export const openModelPulls: (
  ...opening: Parameters<typeof createModelPulls>
) => Promise<ModelPulls> = async (opening) =>
  (await import('./installed/pulls.ts')).createModelPulls(opening);

/** Every model behind one interface: in this process, on a server nearby, or at a service. */
export const modelFeature = (known: readonly ProviderDeclaration[]): Feature =>
  defineFeature({
    name: 'models',
    config: modelConfig(known),
    gives: ['models', 'structured', 'openLocal', 'openEncoder', 'likeness', 'fetchMedia'],
    async open({ config, kernel, overrides, keep }) {
      const { clock, ids, client } = kernel;
      const { openEncoder = encoderSuits() ? shareEncoder(encoderPath, config.decisions.threads) : null } =
        overrides;
      const openLocal = shareLocalModels(config.decisions);
      const likeness = openEncoder === null ? null : await keep(createLikeness(openEncoder));
      const opening = { ...overrides, clock, ids, openLocal, likeness };
      const models = await keep(openModels(config, opening, known));
      const structured = await keep(openStructuredChecks());
      return {
        models,
        structured,
        openLocal,
        openEncoder,
        likeness,
        fetchMedia: createFetchMedia(client),
      };
    },
    operations: (_settings, listed) => modelOperations(listed),
  });

export const feature = modelFeature(modelProviders);
