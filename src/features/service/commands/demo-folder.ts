import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { randomIds } from '../../../kernel/kit/ids.ts';

/** A question with messages whose answers are known. */
export interface DecisionSet {
  /** Also the name of its decider, after `demo-`. */
  readonly name: string;
  readonly title: string;
  readonly question: JsonObject;
  readonly rows: readonly (readonly [state: string, answer: boolean | string | number])[];
}

export interface DemoFolder {
  readonly path: string;
  /** Nobody named it, and it goes when the server ends. */
  readonly isScratch: boolean;
  readonly keys: { readonly root: string; readonly admin: string };
  /** Whether an earlier run has filled its server. */
  readonly isFilled: boolean;
  readonly handbook: string;
  readonly decisions: string;
  readonly sets: readonly DecisionSet[];
  setFilled(): void;
  remove(): void;
}

const assets = fileURLToPath(new URL('../../../../assets/demo', import.meta.url));

/** The folder of a demonstration: a new one, or that of an earlier run. Throws UsageError for a folder of something else. */
export function openDemoFolder(named: string | null): DemoFolder {
  const path = named ?? mkdtempSync(join(tmpdir(), 'nestor-demo-'));
  const marker = join(path, 'demo.json');
  if (!existsSync(marker) && existsSync(path) && readdirSync(path).length > 0)
    throw new UsageError(
      `${path} holds something else; --data takes a new folder, or that of an earlier demo.`,
    );
  const kept = readMarker(marker);
  const keys = kept ?? { root: `svc-${randomIds.secret(32)}`, admin: `admin-${randomIds.secret(32)}` };
  const write = (isFilled: boolean) => {
    const { root, admin } = keys;
    writeFileSync(marker, `${JSON.stringify({ root, admin, isFilled })}\n`, { mode: 0o600 });
  };
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (kept === null) write(false);
  const decisions = join(path, 'decisions');
  const handbook = join(path, 'handbook');
  const sets = readSets();
  cpSync(join(assets, 'handbook'), handbook, { recursive: true });
  writeExamples(decisions, sets);
  return {
    path,
    isScratch: named === null,
    keys,
    isFilled: kept?.isFilled ?? false,
    handbook,
    decisions,
    sets,
    setFilled: () => write(true),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function readMarker(path: string): { root: string; admin: string; isFilled: boolean } | null {
  if (!existsSync(path)) return null;
  const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const { root, admin, isFilled } = isJsonObject(kept) ? kept : {};
  if (typeof root !== 'string' || typeof admin !== 'string')
    throw new UsageError(`${path} is none of a demo; remove its folder, or name another with --data.`);
  return { root, admin, isFilled: isFilled === true };
}

/** They ship with Nestor, so their form is known. */
const readSets = () =>
  JSON.parse(readFileSync(join(assets, 'decisions.json'), 'utf8')) as readonly DecisionSet[];

/** As `nestor eval` reads them. */
function writeExamples(folder: string, sets: readonly DecisionSet[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, question, rows } of sets) {
    const lines = rows.map(([state, answer]) => JSON.stringify({ state, question, answer }));
    writeFileSync(join(folder, `${name}.jsonl`), `${lines.join('\n')}\n`);
  }
}
