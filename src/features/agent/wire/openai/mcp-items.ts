import type { ToolItem, ToolProgress } from '../../../tools/feature.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { EventWriter } from '../event-writer.ts';
import { approvalPrefix } from './mcp-history.ts';

type Progress<Type> = Extract<ToolProgress, { type: Type }>;
type Item<Type> = Extract<ToolItem, { type: Type }>;
type Called = Progress<'mcp-call'>;

interface OpenItem {
  readonly id: string;
  readonly index: number;
}

/** Writes what servers of tools listed, were asked and answered. */
export class McpItems {
  readonly #writer: EventWriter;
  readonly #ids: Ids;
  /** Approvals by the calls that they allowed. */
  readonly #approvals: ReadonlySet<string>;
  readonly #open = new Map<string, OpenItem>();

  constructor(writer: EventWriter, ids: Ids, approvals: ReadonlySet<string>) {
    this.#writer = writer;
    this.#ids = ids;
    this.#approvals = approvals;
  }

  beginList({ label }: Progress<'mcp-list'>): void {
    const id = `mcpl_${this.#ids.uuid()}`;
    const index = this.#writer.begin(toList(id, label, [], null));
    this.#open.set(label, { id, index });
    this.#tell('response.mcp_list_tools.in_progress', { id, index });
  }

  endList({ label, tools, error }: Item<'mcp-list'>): void {
    const { id, index } = this.#take(label);
    this.#tell(`response.mcp_list_tools.${error === null ? 'completed' : 'failed'}`, { id, index });
    this.#writer.end(index, toList(id, label, tools, error), id);
  }

  beginCall(called: Called): void {
    const id = `mcp_${this.#ids.uuid()}`;
    const index = this.#writer.begin({ ...this.#toCall(id, called, ''), status: 'in_progress' });
    const open = { id, index };
    this.#open.set(called.callId, open);
    this.#tell('response.mcp_call.in_progress', open);
    this.#tell('response.mcp_call_arguments.delta', open, { delta: called.arguments });
    this.#tell('response.mcp_call_arguments.done', open, { arguments: called.arguments });
  }

  endCall(called: Item<'mcp-call'>): void {
    const { output, error } = called;
    const { id, index } = this.#take(called.callId);
    const status = error === null ? 'completed' : 'failed';
    this.#tell(`response.mcp_call.${status}`, { id, index });
    this.#writer.end(index, { ...this.#toCall(id, called, called.arguments), output, error, status }, id);
  }

  ask({ label: server_label, name, arguments: written }: Item<'mcp-approval'>): void {
    const id = `${approvalPrefix}${this.#ids.uuid()}`;
    const item = { type: 'mcp_approval_request', id, arguments: written, name, server_label };
    this.#writer.end(this.#writer.begin(item), item, id);
  }

  #toCall(
    id: string,
    { callId, label: server_label, name }: Pick<Called, 'callId' | 'label' | 'name'>,
    written: string,
  ) {
    return {
      type: 'mcp_call',
      id,
      approval_request_id: this.#approvals.has(callId) ? callId : null,
      arguments: written,
      error: null as object | null,
      name,
      output: null as string | null,
      server_label,
    };
  }

  #tell(event: string, { id, index }: OpenItem, more: object = {}): void {
    this.#writer.emit(event, { item_id: id, output_index: index, ...more });
  }

  #take(key: string): OpenItem {
    const open = this.#open.get(key);
    if (open === undefined) throw new Error('the end of an item that did not begin');
    this.#open.delete(key);
    return open;
  }
}

function toList(id: string, server_label: string, tools: Item<'mcp-list'>['tools'], error: string | null) {
  return {
    type: 'mcp_list_tools',
    id,
    server_label,
    tools: tools.map(({ name, description, inputSchema: input_schema, annotations }) => ({
      name,
      description,
      input_schema,
      annotations,
    })),
    ...(error !== null && { error }),
  };
}
