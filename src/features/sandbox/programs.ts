import { existsSync } from 'node:fs';

export const systemFolders = ['/usr/bin', '/bin'] as const;

/** Where a program of the system lies; null where it is not installed. What lies elsewhere may be anybody's. */
export function findProgram(name: string, folders: readonly string[] = systemFolders): string | null {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null;
}

/** "nobody" everywhere: an account that owns nothing, for what a server of root starts. */
export const unprivileged: { readonly uid?: number } = process.getuid?.() === 0 ? { uid: 65_534 } : {};
