/** A command that cannot be carried out as it was given. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
