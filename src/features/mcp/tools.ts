import type { Tool } from './tool.ts';
import { askTool } from './tools/ask.ts';
import { decideTool } from './tools/decide.ts';
import { researchTool } from './tools/research.ts';
import { searchTool } from './tools/search.ts';

/** Every tool that MCP clients are offered. */
export const tools: readonly Tool[] = [decideTool, searchTool, askTool, researchTool];
