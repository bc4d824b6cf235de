import { readFile } from 'node:fs/promises';
import { defineFeature } from '../../kernel/feature.ts';
import { describeApi } from '../../kernel/http/openapi.ts';
import { version } from '../../kernel/settings.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { findAdapter } from '../decisions/feature.ts';
import { openModelPulls, type ModelPulls } from '../models/feature.ts';
import { createSite, type ServedSite } from './site/served.ts';
import { modelFileOperations } from './wire/models/operation.ts';
import { serviceOperations } from './wire/operation.ts';
import type { Config } from '../../kernel/config.ts';
import type { PostgresBackups, SqliteBackups } from './backup-tools.ts';
import type { RunningServer } from './commands/serve-greeting.ts';
import type { doctorTools } from './doctor-tools.ts';

export type { RunningServer } from './commands/serve-greeting.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    /** Its pages as browsers show them. */
    readonly site: ServedSite;
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
    doctor(): Promise<typeof doctorTools>;
    openBackups(config: Config): Promise<SqliteBackups | PostgresBackups>;
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
  gives: ['documentation', 'site', 'readiness', 'openapi', 'modelPulls'],
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
      site: createSite(root),
      readiness: createReadiness({ ...kernel, ...services }),
      openapi: () => (openapi ??= describeApi(operations, apiInfo)),
    };
  },
  operations: (settings) => [...serviceOperations(settings), ...modelFileOperations(settings)],
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
