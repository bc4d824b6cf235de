export const knownPath = '/admin/v1/models/known';

/** A model that can be pulled by name, as the administration tells it. Unit of sizes: bytes. */
export interface KnownModel {
  readonly name: string;
  readonly about: string;
  readonly source: string;
  readonly size_bytes: number;
  readonly licence: { readonly id: string; readonly url: string; readonly conditions: string | null };
  readonly engine: string;
  readonly state: 'absent' | 'pulling' | 'here' | 'failed';
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  readonly error: string | null;
}

/** A model in the data folder. */
export interface ModelFile {
  readonly name: string;
  readonly form: 'gguf' | 'onnx' | 'part';
  readonly does: readonly string[];
  readonly decides_with: string | null;
  readonly size_bytes: number;
  readonly licence: string | null;
  readonly used_by: readonly string[];
  readonly problem: string | null;
}

/** How far a pull is, in percent of what is known of its size; null where nothing is under way or known. */
export function percentOf({ progress, size_bytes: size }: KnownModel): number | null {
  if (progress === null) return null;
  const total = progress.total ?? size;
  return total === 0 ? null : Math.min(100, Math.floor((100 * progress.done) / total));
}

export function describeState(model: KnownModel): string {
  const { state, progress, error } = model;
  if (state === 'here') return 'in the data folder';
  if (state === 'failed') return `failed: ${error ?? 'no reason was told'}`;
  if (state === 'absent') return 'not pulled';
  const percent = percentOf(model);
  return `is being pulled: ${formatBytes(progress?.done ?? 0)}${percent === null ? '' : `, ${percent} %`}`;
}

/** What a model in the data folder does, or why it cannot. */
export function describeFile({ does, decides_with: adapter, problem }: ModelFile): string {
  if (problem !== null) return problem;
  return does.map((one) => (one === 'decides' ? `decides (${adapter})` : one)).join(', ');
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** In decimal units, as the command line writes them. */
export function formatBytes(bytes: number): string {
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at] ?? ''}`;
}
