/** Why a model cannot be used, in one line for an operator. */
export class OnnxProblem extends Error {
  override readonly name = 'OnnxProblem';
}
