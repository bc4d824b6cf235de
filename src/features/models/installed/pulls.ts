import type { Config } from '../../../kernel/config.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { Log } from '../../../kernel/kit/log.ts';
import { curatedModels, sizeOf, type CuratedModel } from '../curated/list.ts';
import { pullModel, toPlan } from '../curated/pull-model.ts';
import { openHub, PullError, toHubAccess, type HubVariables } from '../hub.ts';
import { findInstalled, modelsFolder } from './find.ts';
import { inspect, type FindAdapter } from './inspect.ts';
import { createLister, type ListedModel } from './list.ts';

/** How far a model of the list is on its way into the data folder. */
export interface KnownModel {
  readonly model: CuratedModel;
  /** Of the files whose size is known. Unit: bytes. */
  readonly sizeBytes: number;
  readonly state: 'absent' | 'pulling' | 'here' | 'failed';
  /** Unit: bytes; null where nothing is under way. */
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  /** Why the last pull failed. */
  readonly error: string | null;
}

/** The models in the data folder, and pulls of those that are known. They belong to this process and end with it. */
export interface ModelPulls {
  files(): Promise<readonly ListedModel[]>;
  known(): Promise<readonly KnownModel[]>;
  /** Begins a pull, or finds the one that is under way. Throws Fault `not_found`, `invalid_value`. */
  pull(name: string, isLicenceAccepted: boolean): Promise<KnownModel>;
  /** Ends a pull; what came is kept, and the next continues it. Throws Fault `not_found`. */
  cancel(name: string): Promise<KnownModel>;
  close(): Promise<void>;
}

/** Downloads at the same time; more are refused. */
const pullsMax = 3;

interface Opening {
  readonly config: Config;
  readonly hub: HubVariables;
  readonly log: Log;
  readonly findAdapter: FindAdapter;
  readonly models?: readonly CuratedModel[] | undefined;
}

export function createModelPulls({ models = curatedModels, ...opening }: Opening): ModelPulls {
  const { config, findAdapter } = opening;
  const running = createRunning(opening);

  async function known(): Promise<readonly KnownModel[]> {
    // Before the folder is read: a pull that ends meanwhile would be neither under way nor there.
    const pulling = new Map(models.map(({ name }) => [name, running.progressOf(name)]));
    const installed = await findInstalled(config.dataFolder);
    const names = new Set(installed.map(({ name }) => name));
    return models.map((model) => ({
      model,
      sizeBytes: sizeOf(model),
      ...stateOf(model, pulling.get(model.name) ?? null, names),
    }));
  }

  function stateOf(
    { name, files: [first] }: CuratedModel,
    progress: KnownModel['progress'],
    installed: ReadonlySet<string>,
  ) {
    if (progress !== null) return { state: 'pulling', progress, error: null } as const;
    if (installed.has(first?.file.endsWith('.gguf') === true ? first.file : name))
      return { state: 'here', progress, error: null } as const;
    const error = running.errorOf(name);
    return { state: error === null ? 'absent' : 'failed', progress, error } as const;
  }

  async function find(name: string): Promise<KnownModel> {
    const found = (await known()).find(({ model }) => model.name === name);
    if (found === undefined) throw new Fault('not_found', 'No model of the list has this name.');
    return found;
  }

  return {
    files: createLister(config, findAdapter),
    known,
    async pull(name, isLicenceAccepted) {
      const { model, state } = await find(name);
      if (model.licence.conditions !== null && !isLicenceAccepted)
        throw invalidValue(
          `The licence of ${name} has conditions: accept_licence accepts them.`,
          'accept_licence',
        );
      if (state !== 'here') running.begin(model);
      return find(name);
    },
    async cancel(name) {
      await find(name);
      await running.end(name);
      return find(name);
    },
    close: () => running.close(),
  };
}

interface Pulling {
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
  progress: NonNullable<KnownModel['progress']>;
}

/** The pulls under way in this process, one of a name at a time, and why the last of a name failed. */
function createRunning({ config, hub, log, findAdapter }: Opening) {
  const pulling = new Map<string, Pulling>();
  const errors = new Map<string, string>();

  async function run(model: CuratedModel, under: Pulling): Promise<void> {
    const opened = openHub(toHubAccess(hub));
    try {
      await pullModel(opened, {
        plan: toPlan(model),
        folder: modelsFolder(config.dataFolder),
        check: async (found) => (await inspect(found, findAdapter, under.stopping.signal)).problem,
        signal: under.stopping.signal,
        onProgress: (done, total) => (under.progress = { done, total }),
        onRetry: (reason) => log.warn({ model: model.name, reason }, 'a pull goes on'),
      });
    } finally {
      await opened.close();
    }
  }

  async function end(name: string): Promise<void> {
    const under = pulling.get(name);
    under?.stopping.abort(new Error('ended'));
    await under?.ended;
  }

  return {
    progressOf: (name: string) => pulling.get(name)?.progress ?? null,
    errorOf: (name: string) => errors.get(name) ?? null,
    /** Throws Fault `conflict` where too many are under way. */
    begin(model: CuratedModel): void {
      if (pulling.has(model.name)) return;
      if (pulling.size >= pullsMax)
        throw new Fault('conflict', `${pullsMax} models are being pulled already.`);
      const stopping = new AbortController();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const under: Pulling = { stopping, ended, progress: { done: 0, total: null } };
      pulling.set(model.name, under);
      errors.delete(model.name);
      const keepReason = (error: unknown) => {
        if (stopping.signal.aborted) return;
        log.error({ err: error, model: model.name }, 'a model could not be pulled');
        const isSaid = error instanceof PullError || error instanceof UsageError;
        errors.set(model.name, isSaid ? error.message : 'It could not be written into the data folder.');
      };
      void run(model, under)
        .catch(keepReason)
        .finally(() => {
          pulling.delete(model.name);
          resolve();
        });
    },
    end,
    async close(): Promise<void> {
      await Promise.all([...pulling.keys()].map(end));
    },
  };
}
