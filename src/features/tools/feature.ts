import { defineFeature } from '../../kernel/feature.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { ToolParts } from './index.ts';
import { toToolParts } from './to-tool-parts.ts';

export { roundRobin, toFoundText } from './found-text.ts';
export { type ToolParts, type ToolRequest, createTools, isAvailable, toolNames } from './index.ts';
export { attribute, contextBlock, neutralise } from './context-block.ts';
export type { Source, Tool, ToolBillingName, ToolItem, ToolOutcome, ToolProgress, ToolRun } from './tool.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    /** What tools of the agent and of chat work with. */
    readonly tools: ToolParts;
  }
}

/** What a model may call: searches, pages, code, skills. */
export const feature = defineFeature({
  name: 'tools',
  needs: ['search', 'pages', 'finance', 'sandbox'],
  gives: ['tools'],
  async open({ settings, kernel: { log, clock, ids }, services }) {
    const onFailure = createFailureLog((line) => log.warn(line, 'a tool of the agent failed'), clock);
    return { tools: toToolParts(settings, { ...services, clock, ids }, onFailure) };
  },
});
