import type { JsonObject } from '../../../kernel/kit/json.ts';

/** Why a server did not do what it was asked, in the words of the wire. */
export type McpError =
  | { readonly type: 'http_error' | 'mcp_protocol_error'; readonly code: number; readonly message: string }
  | { readonly type: 'mcp_tool_execution_error'; readonly content: readonly object[] };

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject | null;
}

interface CalledTool {
  readonly callId: string;
  readonly label: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
}

declare module '../tool.ts' {
  interface ToolItems {
    readonly 'mcp-list': {
      readonly label: string;
      readonly tools: readonly ListedTool[];
      readonly error: string | null;
    };
    readonly 'mcp-call': CalledTool & { readonly output: string | null; readonly error: McpError | null };
    /** The caller is asked before the tool is called. */
    readonly 'mcp-approval': Omit<CalledTool, 'callId'>;
  }

  interface ToolProgresses {
    readonly 'mcp-list': { readonly label: string };
    readonly 'mcp-call': CalledTool;
  }
}
