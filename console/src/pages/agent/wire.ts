/** What the agent sends, as far as the console shows it. */
export interface FoundPage {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly date?: string;
}

export interface ReadPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export interface Annotation {
  readonly start_index: number;
  readonly end_index: number;
  readonly url: string;
  readonly title: string;
}

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly content: readonly { readonly text: string; readonly annotations: readonly Annotation[] }[];
}

export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface CodeItem {
  readonly type: 'sandbox_results';
  readonly call_id: string;
  readonly language: string;
  readonly code: string;
  readonly status: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly duration_ms: number;
}

export interface FileItem {
  readonly type: 'share_file';
  readonly file_id: string;
  readonly filename: string;
  readonly size_bytes: number;
}

export type OutputItem =
  | MessageItem
  | FunctionCallItem
  | CodeItem
  | FileItem
  | {
      readonly type: 'search_results' | 'people_search_results';
      readonly queries: readonly string[];
      readonly results: readonly FoundPage[];
    }
  | { readonly type: 'fetch_url_results'; readonly contents: readonly ReadPage[] }
  | {
      readonly type: 'finance_results';
      readonly categories: readonly string[];
      readonly tickers: readonly string[];
      readonly results: readonly { readonly category: string; readonly content: string }[];
    }
  | { readonly type: 'skill_loaded'; readonly name: string };

export type RunStatus = 'in_progress' | 'completed' | 'requires_action' | 'failed';

export interface AgentUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: { readonly total_cost: number };
}

export interface AgentResponse {
  readonly id: string;
  readonly status: RunStatus;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly usage: AgentUsage | null;
  readonly background: boolean;
  readonly store: boolean;
  readonly previous_response_id: string | null;
  readonly instructions: string | null;
  readonly max_steps: number;
  /** As the request named them, without those of a preset. */
  readonly tools: readonly unknown[];
  /** Unix seconds. */
  readonly created_at: number;
}

/** One event of a stream. Which fields it has goes by its type. */
export interface AgentEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: AgentResponse;
  readonly thought?: string;
  readonly queries?: readonly string[];
  readonly results?: readonly FoundPage[];
  readonly urls?: readonly string[];
  readonly contents?: readonly ReadPage[];
  readonly name?: string;
  readonly output_index?: number;
  readonly item?: OutputItem;
  readonly delta?: string;
}
