import type { TestServer } from './server.ts';

export interface Received {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Send = (method: string, path: string, json?: object) => Promise<Received>;

/** Calls of a client with a key. */
export const sender =
  ({ url }: Pick<TestServer, 'url'>, key: string): Send =>
  async (method, path, json) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}${path}`, { method, headers, ...body });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Received['body']) };
  };

export interface Fit {
  readonly id: string;
  readonly state: string;
  readonly in_use: boolean;
  readonly error: string | null;
  readonly report: {
    readonly examples: number;
    readonly questions: readonly {
      readonly taken: string | null;
      readonly before: { readonly accuracy: number; readonly nll: number };
      readonly after: { readonly accuracy: number; readonly nll: number };
      readonly held_out: { readonly accuracy: number };
      readonly labels: readonly {
        readonly name: string;
        readonly examples: number;
        readonly recall: number | null;
      }[];
      readonly confused: readonly { readonly examples: number }[];
      readonly bound: {
        readonly max_error: number;
        readonly confidence: number;
        readonly threshold: number | null;
        readonly examples_needed: number;
        readonly answered: number;
        readonly wrong: number;
      } | null;
    }[];
  } | null;
}

export interface Drift {
  readonly answers: number;
  readonly baseline: number;
  readonly choices: { readonly psi: number; readonly psi_by_chance: number; readonly z: number };
  readonly drifted: boolean;
  readonly since: string | null;
}
