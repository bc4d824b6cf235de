import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature, type Feature, type OpenContext, type Services } from '../../kernel/feature.ts';
import { decisionConfig, type decisionKeys } from './config.ts';
import type { EngineDeclaration, DecisionEngine } from './engine.ts';
import { decisionEngines } from './engines/index.ts';
import type { OnnxModel } from '../models/feature.ts';
import {
  openCompared,
  openDecisions,
  openNamed,
  openShipped,
  type ComparedDecisions,
  type EngineRequest,
} from './open-decisions.ts';
import type { NamedDecision } from './deciders/ask.ts';
import { toFigures } from './deciders/figures.ts';
import type { Decider } from './deciders/decider.ts';
import type { Definitions } from './deciders/definition.ts';
import { definitionsOf } from './deciders/operator-definitions.ts';
import { createShippedEngines } from './deciders/shipped-engines.ts';
import type { DeciderExamples } from './deciders/decider-examples.ts';
import type { DeciderFits } from './deciders/decider-fits.ts';
import type { DriftWatch } from './deciders/drift-watch.ts';
import type { MassWatch } from './deciders/mass-watch.ts';
import { openMassWatch, openStoredDeciders } from './deciders/open-stored-deciders.ts';
import type { StoredDeciders } from './deciders/stored-deciders.ts';
import { createBatchFiles, type BatchFiles } from './batches/files.ts';
import { openBatches } from './batches/open-batches.ts';
import type { BatchService } from './batches/service.ts';
import { Traffic } from './batches/traffic.ts';
import { tellServers } from './tell-servers.ts';
import { priceOf } from '../../kernel/settings.ts';
import { decisionPriceUsdPerMillion, systemOneModels } from './wire/deciders.ts';
import { createAnswerers } from './wire/batches/answerer.ts';
import { batchOperations } from './wire/batches/operation.ts';
import { decisionOperations } from './wire/decisions/operation.ts';
import { deciderOperations } from './wire/named/operation.ts';
import { learningOperations } from './wire/learning/operation.ts';
import { openAiDecisionOperations } from './wire/openai/operation.ts';

export { defineEngine } from './engine.ts';
export { decide } from './decide.ts';
export { readExamples } from './evaluation/read-examples.ts';
export { type Example } from './evaluation/examples.ts';
export { findAdapter, openBareDecisions } from './open-decisions.ts';
export { normalizeQuestion } from './normalize-question.ts';
export { fingerprintOf, type DecisionEngine, type NormalizedQuestion } from './engine.ts';
export { changesIn, type Fingerprint } from './fingerprint.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof decisionKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly decisions: DecisionEngine;
    /** Deciders beside it, by the name under which they are asked. */
    readonly comparedDecisions: Pick<ComparedDecisions, 'get'>;
    /** Deciders with policies. */
    readonly deciders: {
      /** One of the operator. */
      readonly get: (name: string) => Decider | undefined;
      /** Those of the operator, the first included. */
      readonly definitions: Definitions;
      readonly stored: StoredDeciders;
      readonly examples: DeciderExamples;
      readonly fits: DeciderFits;
      readonly drift: Pick<DriftWatch, 'figures'>;
      readonly masses: Pick<MassWatch, 'figures'>;
      /** Counts what each decider did for a request. */
      readonly count: (decision: NamedDecision) => void;
    };
    /** Decisions that somebody waits for: batches stand back. */
    readonly decisionTraffic: Traffic;
    readonly decisionBatches: BatchService;
    /** What answers rows of batches in this process once it is begun, which a server does when it listens. */
    readonly batchWorker: { readonly begin: () => void };
    readonly batchFiles: BatchFiles;
  }

  interface Settings {
    readonly decisions: {
      /** Names under which the decider answers. */
      readonly served: readonly string[];
      /** Names of further deciders, each of which is one of its own. */
      readonly compared: readonly string[];
      /** Engines that accounts may use in deciders of their own. */
      readonly shipped: readonly string[];
      readonly inputTokensMax: number;
      readonly timeoutMs: number;
      /** Output is free. Unit: USD per million input tokens. */
      readonly priceUsdPerMillion: number;
      /** Largest file of a batch. */
      readonly batchBytesMax: number;
    };
  }

  interface Overrides {
    readonly decisions?: DecisionEngine;
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    /** Opens an engine alone: the command adds orders, prior, negation and calibration. */
    open(request: EngineRequest): Promise<DecisionEngine>;
    /** Name of the adapter by which the engine onnx asks a model; null where none can. */
    findAdapter(model: OnnxModel): Promise<string | null>;
  }
}

/** Questions with typed answers, answered with probabilities. */
export const decisionFeature = (engines: readonly EngineDeclaration[]): Feature =>
  defineFeature({
    name: 'decisions',
    config: decisionConfig(engines),
    needs: ['openLocal', 'openEncoder', 'storageQuota'],
    gives: [
      'decisions',
      'comparedDecisions',
      'deciders',
      'decisionTraffic',
      'decisionBatches',
      'batchWorker',
      'batchFiles',
    ],
    settings: ({ decisions, prices }) => ({
      decisions: {
        served: decisions.served,
        compared: [...decisions.compare, ...decisions.deciders].map(({ name }) => name),
        shipped: engines.filter(({ ships }) => ships === true).map(({ name }) => name),
        inputTokensMax: decisions.maxInputTokens,
        timeoutMs: decisions.timeoutS * 1_000,
        priceUsdPerMillion: priceOf(prices, 'decisions', 'input') ?? decisionPriceUsdPerMillion,
        batchBytesMax: decisions.batches.maxBytes,
      },
    }),
    lists: systemOneModels,
    async open(context) {
      const { config, kernel, overrides, keep, onListening } = context;
      const { openLocal, openEncoder, storageQuota } = context.services;
      const { log, metrics } = kernel;
      const listening = new Promise<void>((resolve) => onListening(() => resolve()));
      const onLabelMass = (mass: number) => metrics?.labelMass(mass);
      const masses = openMassWatch(kernel);
      const own = { config, log, openLocal, openEncoder, known: engines, listening, onLabelMass, masses };
      const first = overrides.decisions ?? openDecisions(own);
      const opening = [keep(first), keep(openCompared(own))] as const;
      // Both, also when one fails: what opened has to be kept before everything is closed.
      await Promise.allSettled(opening);
      const [decisions, comparedDecisions] = await Promise.all(opening);
      const operators = await keep(openNamed(own, decisions, comparedDecisions));
      const shipped = await keep(createShippedEngines((name) => openShipped(own, name)));
      const asked = { openShipped: shipped.open, operatorEngine: operators.engineOf, storageQuota };
      const { stored, examples, fits, drift } = await keep(openStoredDeciders(kernel, asked));
      const definitions = definitionsOf(config, decisions.name);
      const count = (decision: NamedDecision) => {
        if (metrics === null) return;
        for (const figures of toFigures(decision, definitions)) metrics.decided(figures);
      };
      const deciders = { get: operators.get, definitions, stored, examples, fits, drift, masses, count };
      if (overrides.decisions === undefined) await keep(tellServers(own, overrides.localServers));
      const deciding = { decisions, comparedDecisions, deciders };
      return { ...deciding, ...(await openBatchesOf(context, deciding)) };
    },
    operations: (settings) => [
      ...decisionOperations(settings),
      ...openAiDecisionOperations(settings),
      ...deciderOperations(settings),
      ...learningOperations(settings),
      ...batchOperations(settings),
    ],
  });

/** Rows are answered from when the server listens; a process without a port begins by itself. */
async function openBatchesOf(
  { config, settings, kernel, services, keep, onListening }: OpenContext<'storageQuota'>,
  deciding: Pick<Services, 'decisions' | 'comparedDecisions' | 'deciders'>,
): Promise<Pick<Services, 'decisionTraffic' | 'decisionBatches' | 'batchWorker' | 'batchFiles'>> {
  const { batches: settled } = config.decisions;
  const { clock, log } = kernel;
  const decisionTraffic = new Traffic();
  const onError = (error: unknown) => log.error({ err: error }, 'batches of decisions');
  const open = createAnswerers({ settings, services: deciding, clock, onError });
  const { storageQuota } = services;
  const { begin, service } = await keep(
    openBatches(settled, { ...kernel, open, storageQuota, traffic: decisionTraffic, onError }),
  );
  onListening(begin);
  const batchFiles = createBatchFiles(config.dataFolder, settled.maxBytes);
  return { decisionTraffic, decisionBatches: service, batchWorker: { begin }, batchFiles };
}

export const feature = decisionFeature(decisionEngines);
