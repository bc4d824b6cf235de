/** A file of examples or a calibration that cannot be used. The message is one line that names the place. */
export class ExampleError extends Error {
  override readonly name = 'ExampleError';
}
