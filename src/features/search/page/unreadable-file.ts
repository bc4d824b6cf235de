/** Ends the reading of a file whose kind is known. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly reason: 'unreadable' | 'too_complex';

  constructor(reason: 'unreadable' | 'too_complex') {
    super(reason);
    this.reason = reason;
  }
}
