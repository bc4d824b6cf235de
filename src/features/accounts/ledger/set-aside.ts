import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UsageRow } from '../store/usage-row.ts';

export interface SetAsideFile {
  readonly name: string;
  readonly kind: 'damaged' | 'refused';
}

export interface RefusedRow {
  readonly reason: string;
  readonly row: UsageRow;
}

/** Of all processes of a journal. */
export const setAsideFolder = 'set-aside';

export type SetAside = ReturnType<typeof openSetAside>;

/**
 * What cannot be handed to the store and must not keep the rest from it.
 * Files are named after what is in them: what is met again after a death in between is the same file. All methods
 * throw what the file system throws, and what could not be set aside has to stay where it is.
 */
export function openSetAside(folder: string) {
  const own = join(folder, setAsideFolder);

  function write(bytes: Buffer, kind: SetAsideFile['kind']): void {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const name = hash('sha256', bytes, 'hex').slice(0, 24);
    writeFileSync(join(own, `${name}.${kind}`), bytes, { mode: 0o600, flush: true });
  }

  return {
    /** Bytes of a journal that are no row. */
    damaged: (bytes: Buffer) => write(bytes, 'damaged'),
    /** A row that the store refused for what it says. */
    refused: (row: UsageRow, reason: string) =>
      write(Buffer.from(`${JSON.stringify({ reason, row } satisfies RefusedRow)}\n`), 'refused'),
    list: (): readonly SetAsideFile[] => namesIn(own).flatMap(toFile),
    read: ({ name }: SetAsideFile) => readFileSync(join(own, name)),
    remove: ({ name }: SetAsideFile) => rmSync(join(own, name), { force: true }),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function toFile(name: string): readonly SetAsideFile[] {
  if (name.endsWith('.damaged')) return [{ name, kind: 'damaged' }];
  return name.endsWith('.refused') ? [{ name, kind: 'refused' }] : [];
}
