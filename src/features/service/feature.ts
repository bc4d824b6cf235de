import { readFile } from 'node:fs/promises';
import { commandsOf } from '../../kernel/commands/command.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { describeApi } from '../../kernel/http/openapi.ts';
import { version } from '../../kernel/settings.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { findAdapter } from '../decisions/feature.ts';
import { openModelPulls, type ModelPulls } from '../models/feature.ts';
import { modelFileOperations } from './wire/models/operation.ts';
import { serviceOperations } from './wire/operation.ts';
import type { Config } from '../../kernel/config.ts';
import type { PostgresBackups, SqliteBackups } from './backup-tools.ts';
import type { RunningServer } from './commands/serve-greeting.ts';
import type { doctorTools } from './doctor-tools.ts';

export { openBackups } from './backup-tools.ts';
export type { RunningServer } from './commands/serve-greeting.ts';
export { doctorTools } from './doctor-tools.ts';
export { openStoreTools } from './store-tools.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    /** A page of the guide by its name; null when there is none. */
    readonly documentation: (page: string) => Promise<Uint8Array | null>;
    /** The state that `/readyz` reports. Tries the store, at most once a second. */
    readonly readiness: () => Promise<Readiness>;
    /** The models in the data folder, and pulls of others. */
    readonly modelPulls: () => Promise<ModelPulls>;
    /** The published description, without `servers`. */
    readonly openapi: () => object;
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    readonly doctor: typeof doctorTools;
    openBackups(config: Config): SqliteBackups | PostgresBackups;
    openServer(config: Config): Promise<RunningServer>;
    /** Whether NESTOR_ROOT_KEY is set, so that the example printed at the start can name it. */
    readonly hasRootKeyVariable: boolean;
    /** Opens workers of this process on the store. Closing interrupts their jobs and gives them back. */
    openWorker(config: Config): Promise<{ close(): Promise<void> }>;
  }
}

const apiInfo = {
  title: 'Nestor',
  version,
  description: 'Decisions with probabilities, grounded answers and any model behind one API.',
  groupVersions: { decisions: '0.1.0' },
};

/** What operators ask of a server, and what they do with it. */
export const feature = defineFeature({
  name: 'service',
  needs: ['ledger', 'limiter', 'decisions', 'models', 'search', 'embeddings'],
  gives: ['documentation', 'readiness', 'openapi', 'modelPulls'],
  async open({ config, kernel, operations, services, overrides, keep }) {
    let openapi: object | null = null;
    const { log } = kernel;
    const hub = overrides.hub ?? { endpoint: undefined, token: undefined, proxy: undefined };
    let pulls: Promise<ModelPulls> | null = null;
    await keep(Promise.resolve({ close: async () => (await pulls)?.close() }));
    return {
      modelPulls: () =>
        (pulls ??= openModelPulls({ config, hub, log, findAdapter, models: overrides.knownModels })),
      documentation: readDocumentation,
      readiness: createReadiness({ ...kernel, ...services }),
      openapi: () => (openapi ??= describeApi(operations, apiInfo)),
    };
  },
  operations: (settings) => [...serviceOperations(settings), ...modelFileOperations(settings)],
  commands: [
    ...commandsOf('Start', {
      serve: {
        summary: 'serve the API and the console (what nestor alone does)',
        isService: true,
        load: async () => (await import('./commands/serve.ts')).runServe,
      },
      doctor: {
        summary: 'what works on this machine, and what to do about the rest',
        load: async () => (await import('./commands/doctor.ts')).runDoctor,
      },
      config: {
        summary: 'the configuration in force, or its JSON Schema',
        load: async () => (await import('./commands/config.ts')).runConfig,
      },
      worker: {
        summary: 'run asynchronous chat completions, without serving',
        isService: true,
        load: async () => (await import('./commands/serve.ts')).runWorker,
      },
    }),
    ...commandsOf('Accounts and the store', {
      backup: {
        summary: 'copy the store to a file and check the copy, while servers go on',
        load: async () => (await import('./commands/backup.ts')).runBackup,
      },
      restore: {
        summary: 'put a backup in place of the store',
        load: async () => (await import('./commands/backup.ts')).runRestore,
      },
      migrate: {
        summary: 'bring the store to the schema of this version',
        load: async () => (await import('./commands/migrate.ts')).runMigrate,
      },
      export: {
        summary: 'write everything that the store keeps into a file',
        load: async () => (await import('./commands/transfer.ts')).runExport,
      },
      import: {
        summary: 'read an export into an empty store',
        load: async () => (await import('./commands/transfer.ts')).runImport,
      },
    }),
  ],
});

/** Folder with README.md and docs/. */
const root = new URL('../../../', import.meta.url);
const namePattern = /^(?:reference\/)?[A-Za-z0-9-]{1,64}$/;

/**
 * Reads a page by its name without extension: of the guide, of the reference as `reference/agent`, or the README. Null
 * when there is none.
 */
async function readDocumentation(page: string): Promise<Uint8Array | null> {
  if (!namePattern.test(page)) return null;
  const folder = page.startsWith('reference/') ? 'docs' : 'docs/guide';
  const path = page === 'README' ? 'README.md' : `${folder}/${page}.md`;
  return readFile(new URL(path, root)).catch(() => null);
}
