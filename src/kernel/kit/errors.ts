/** What the system or Node calls an error, such as ENOENT; null where neither did. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** What an error says, or the value that was thrown in place of one. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
