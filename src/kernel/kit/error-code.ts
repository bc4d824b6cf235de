/** What the system or Node calls an error, such as ENOENT; null where neither did. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
