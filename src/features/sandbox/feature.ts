import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature, type Feature } from '../../kernel/feature.ts';
import { sandboxKeys } from './config.ts';
import { openCodeSandbox, type Sandbox } from './open-sandbox.ts';
import type { RunnerDeclaration } from './runner.ts';
import { sandboxRunners } from './runners/index.ts';

export { defineRunner } from './runner.ts';
export { sandboxRunners } from './runners/index.ts';
export { openSandbox } from './open-sandbox.ts';
export type { SandboxFile, SandboxLanguage, SandboxLimits, SandboxResult, SharedRunner } from './runner.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof sandboxKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly sandbox: Sandbox;
  }
}

/** Runs code of the agent apart from this machine. */
export const sandboxFeature = (runners: readonly RunnerDeclaration[]): Feature =>
  defineFeature({
    name: 'sandbox',
    config: { keys: sandboxKeys(runners) },
    gives: ['sandbox'],
    open: async ({ config, kernel: { log }, keep }) => ({
      sandbox: await keep(openCodeSandbox(config.sandbox, runners, log)),
    }),
  });

export const feature = sandboxFeature(sandboxRunners);
