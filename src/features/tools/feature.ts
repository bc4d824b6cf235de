import { defineFeature } from '../../kernel/feature.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { ToolDependencies } from './define-tool.ts';
import { definitions } from './index.ts';
import { ToolSet } from './tool-set.ts';

export type { LoadableSkill, ToolContext, ToolDependencies } from './define-tool.ts';
export { attribute, contextBlock, failure, neutralise, toEarlierText, toFoundText } from './context-block.ts';
export type { Source, Tool, ToolItem, ToolOutcome, ToolProgress, ToolRun, ToolUse } from './tool.ts';
export { type ToolRequest, type ToolSet, createTools } from './tool-set.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly tools: ToolDependencies;
  }

  interface Settings {
    readonly tools: ToolSet;
  }
}

/** What a model may call: searches, pages, code, skills. */
export const feature = defineFeature({
  name: 'tools',
  needs: ['search', 'pages', 'finance', 'sandbox'],
  gives: ['tools'],
  settings: () => ({ tools: new ToolSet(definitions) }),
  async open({ settings, kernel: { log, clock, ids }, services }) {
    const { search, pages, finance, sandbox } = services;
    return {
      tools: {
        search,
        pages,
        finance,
        // A runner is looked for while the server serves.
        get sandbox() {
          return sandbox.current();
        },
        priceOf: ({ name, usd }) => settings.priceOf(name, 'input') ?? usd,
        clock,
        ids,
        onFailure: createFailureLog((line) => log.warn(line, 'a tool of the agent failed'), clock),
      },
    };
  },
});
