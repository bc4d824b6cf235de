import { isJsonObject } from '../../../kernel/kit/json.ts';
import { attribute, contextBlock, failure, neutralise } from '../context-block.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import type { Tool, ToolItem, ToolOutcome, ToolRun } from '../tool.ts';
import type { ListedTool, McpError } from './items.ts';
import { listTools, matches, type ToolFilter } from './listing.ts';
import { readResult } from './result.ts';
import { McpFailure, type McpSession } from './session.ts';

interface RemoteServerOptions {
  readonly label: string;
  /** Every one has to match. */
  readonly allowed: readonly ToolFilter[];
  /** Whether the caller is asked before the tool is called. */
  readonly asks: (tool: ListedTool) => boolean;
  /** Texts that nobody is shown, whatever the server sends. */
  readonly secrets: readonly string[];
  /** Waits for the account's turn. Rejects with the reason of the signal. */
  readonly inTurn: <Result>(run: Where, work: () => Promise<Result>) => Promise<Result>;
  readonly onFailure: OnFailure;
}

type Where = Pick<ToolRun, 'accountId' | 'signal'>;

/** What a server offered for a run. */
interface Offer {
  readonly item: Extract<ToolItem, { type: 'mcp-list' }>;
  readonly tools: readonly Tool[];
}

/** The name under which models know a tool of a server. */
type NameOf = (tool: string, label: string) => string;

/** A server of tools during one run. */
export class RemoteServer {
  readonly label: string;
  readonly #session: McpSession;
  readonly #options: RemoteServerOptions;

  constructor(session: McpSession, options: RemoteServerOptions) {
    this.label = options.label;
    this.#session = session;
    this.#options = options;
  }

  /** Only an abort rejects: what else goes wrong is the error of the item. */
  async open(run: Where, nameOf: NameOf): Promise<Offer> {
    const { label, allowed, inTurn } = this.#options;
    try {
      const listed = await inTurn(run, () => listTools(this.#session, run.signal));
      const tools = listed
        .filter((tool) => allowed.every((filter) => matches(tool, filter)))
        .map((tool) => ({
          ...tool,
          description: tool.description && this.#withoutSecrets(tool.description),
        }));
      return {
        item: { type: 'mcp-list', label, tools, error: null },
        tools: tools.map((tool) => this.#toTool(tool, nameOf(tool.name, label))),
      };
    } catch (error) {
      const { message } = this.#told(error, run.signal);
      return { item: { type: 'mcp-list', label, tools: [], error: message }, tools: [] };
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #toTool(tool: ListedTool, flat: string): Tool {
    const { label, asks } = this.#options;
    const { name, description, inputSchema } = tool;
    return {
      definition: { name: flat, description: description ?? name, parameters: inputSchema, strict: false },
      ...(asks(tool) && {
        ask: (written: string) => ({ type: 'mcp-approval', label, name, arguments: written }) as const,
      }),
      call: (args, callId, run) => this.#call(name, args, callId, run),
    };
  }

  async #call(name: string, args: unknown, callId: string, run: ToolRun): Promise<ToolOutcome> {
    if (!isJsonObject(args)) return failure('The arguments have to be a JSON object.');
    const { label, inTurn } = this.#options;
    const called = { callId, label, name, arguments: JSON.stringify(args) };
    run.report({ type: 'mcp-call', ...called });
    const outcome = (output: string | null, error: McpError | null, told: string): ToolOutcome => ({
      items: [{ type: 'mcp-call', ...called, output, error }],
      text: told,
      isError: error !== null,
      uses: [],
    });
    try {
      const params = `{"name":${JSON.stringify(name)},"arguments":${called.arguments}}`;
      const result = await inTurn(run, () => this.#session.request('tools/call', params, run.signal));
      const { text: sent, isError } = readResult(result);
      const text = this.#withoutSecrets(sent);
      const note = `This is what the tool ${attribute(name)} of ${label} ${isError ? 'failed with' : 'gave back'}.`;
      const told = contextBlock('output', note, neutralise(text));
      const content = [{ type: 'text', text }];
      return isError
        ? outcome(null, { type: 'mcp_tool_execution_error', content }, told)
        : outcome(text, null, told);
    } catch (error) {
      const told = this.#told(error, run.signal);
      return outcome(null, told, `The tool failed: ${neutralise(told.message)}`);
    }
  }

  #told(error: unknown, signal: AbortSignal): McpFailure['error'] {
    signal.throwIfAborted();
    this.#options.onFailure('mcp', error);
    if (error instanceof McpFailure) return { ...error.error, message: this.#withoutSecrets(error.message) };
    return { type: 'http_error', code: 503, message: 'The server cannot be asked right now.' };
  }

  #withoutSecrets(text: string): string {
    return this.#options.secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  }
}
