import { defineFeature } from '../../kernel/feature.ts';
import { mcpOperations } from './wire/operation.ts';

/** Tools for programs that speak the Model Context Protocol. */
export const feature = defineFeature({
  name: 'mcp',
  operations: mcpOperations,
});
