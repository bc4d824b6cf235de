import { join, resolve } from 'node:path';

/** Path of an embedded store file; null for other stores and in memory. */
export function toSqlitePath(url: string, dataFolder: string): string | null {
  if (isPostgres(url)) return null;
  const path = parsePath(url, dataFolder);
  return path === ':memory:' ? null : path;
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** Never repeats the url: one of another store carries a password. */
export function parsePath(url: string, dataFolder: string): string {
  if (url === 'sqlite') return resolve(join(dataFolder, 'nestor.db'));
  if (!url.startsWith('sqlite:')) throw new Error('database: write sqlite, sqlite:PATH or postgres://…');
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') return path;
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    throw new Error('database: write sqlite:PATH, for example sqlite:/var/lib/nestor/nestor.db');
  }
  return resolve(path);
}
