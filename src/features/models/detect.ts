import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isJsonObject } from '../../kernel/kit/json.ts';
import type { Outbound } from '../../kernel/kit/outbound.ts';
import { knownServices, type KnownLocalServer, type KnownService } from './services.ts';

/** Something that answers or could, without having been configured. */
export type Finding =
  | {
      readonly kind: 'service';
      readonly name: string;
      readonly type: KnownService['type'];
      readonly baseUrl: string;
      readonly key: string;
      readonly prefer: RegExp;
      /** Variable in which the key was found. */
      readonly from: string;
    }
  | { readonly kind: 'server'; readonly name: string; readonly baseUrl: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

/** Services whose key stands in the environment. Asks nobody. */
export function findServices(variables: Readonly<Record<string, string>>): readonly Finding[] {
  return knownServices.flatMap(({ name, type, variables: names, baseUrl, address, prefer }): Finding[] => {
    const from = names.find((variable) => isKey(variables[variable]));
    const key = from === undefined ? undefined : variables[from];
    if (from === undefined || key === undefined) return [];
    const other = address === null ? undefined : variables[address.variable];
    if (address === null || other === undefined || !URL.canParse(other))
      return [{ kind: 'service', name, type, baseUrl, key, prefer, from }];
    const base = `${other.replace(/(?<!\/)\/+$/, '')}${address.suffix}`;
    return [{ kind: 'service', name, type, baseUrl: base, key, prefer, from }];
  });
}

/** It has to fit in a header. */
const isKey = (value: string | undefined): boolean => value !== undefined && /^[!-~]+$/.test(value);

/** The server of a port, if what answers there lists models. Never rejects. */
export async function findLocalServer(
  { name, port }: KnownLocalServer,
  outbound: Outbound,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Finding | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const outcome = await outbound.call({ method: 'GET', url: `${baseUrl}/models`, timeoutMs, signal });
    if (!outcome.ok || !isJsonObject(outcome.body)) return null;
    // Other servers use these ports too; only a list of models makes one of ours.
    const { data } = outcome.body;
    return Array.isArray(data) ? { kind: 'server', name, baseUrl } : null;
  } catch {
    return null;
  }
}

/** The first GGUF file by name in the data folder, else in its sub-folder `models`. Never rejects. */
export async function findFile(dataFolder: string): Promise<Finding | null> {
  for (const folder of [dataFolder, join(dataFolder, 'models')]) {
    const names = await readdir(folder).catch(() => []);
    const [first] = names.filter((name) => name.endsWith('.gguf')).toSorted();
    if (first !== undefined) return { kind: 'file', name: 'local', path: join(folder, basename(first)) };
  }
  return null;
}

/** One line for the log, with how to turn it off. */
export function describeFinding(finding: Finding): string {
  const off = 'to turn this off, set `detect: false` or name your own `providers` in the configuration';
  switch (finding.kind) {
    case 'service':
      return `models: found a key in ${finding.from}: its models are ${finding.name}/…; ${off}, or unset the variable`;
    case 'server':
      return `models: found a server at ${finding.baseUrl}: its models are ${finding.name}/…; ${off}`;
    case 'file':
      return `models: found the file ${finding.path}: it is offered as ${finding.name}/…; ${off}`;
  }
}
