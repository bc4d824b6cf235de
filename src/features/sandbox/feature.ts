import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { sandboxKeys } from './config.ts';
import { openCodeSandbox } from './open-code-sandbox.ts';
import type { Sandbox } from './open-sandbox.ts';

export { openSandbox } from './open-sandbox.ts';
export type { SandboxFile, SandboxLanguage, SandboxLimits, SandboxResult, SharedRunner } from './runner.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof sandboxKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly sandbox: Sandbox;
  }
}

/** Runs code of the agent apart from this machine. */
export const feature = defineFeature({
  name: 'sandbox',
  config: { keys: sandboxKeys },
  gives: ['sandbox'],
  open: async ({ config, kernel: { log }, keep }) => ({ sandbox: await keep(openCodeSandbox(config, log)) }),
});
