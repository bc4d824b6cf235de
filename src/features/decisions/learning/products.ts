/** Products between two yields: a millisecond. */
const stretch = 1_000_000;

/**
 * `into[r * columns + c] = left[r] · right[c]` of rows that are all `length` long. Four rows by two columns share what they read:
 * reading is what takes the time, and one product after the other takes more than twice as long.
 */
export function* multiply(
  into: Float64Array,
  left: Float64Array,
  right: Float64Array,
  length: number,
): Generator<void, void> {
  const [rows, columns] = [left.length / length, right.length / length];
  let done = 0;
  for (let row = 0; row < rows; row += 4)
    for (let column = 0; column < columns; column += 2) {
      if (row + 4 <= rows && column + 2 <= columns) multiplyBlock(into, left, right, length, row, column);
      else multiplyRest(into, left, right, length, row, column);
      done += 8 * length;
      if (done < stretch) continue;
      done = 0;
      yield;
    }
}

export function transposed(matrix: Float64Array, columns: number): Float64Array {
  const rows = matrix.length / columns;
  const turned = new Float64Array(matrix.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = matrix[row * columns + column] ?? 0;
  return turned;
}

function multiplyBlock(
  into: Float64Array,
  left: Float64Array,
  right: Float64Array,
  length: number,
  row: number,
  column: number,
): void {
  const columns = right.length / length;
  const a = row * length;
  const b = a + length;
  const c = b + length;
  const d = c + length;
  const x = column * length;
  const y = x + length;
  let ax = 0;
  let bx = 0;
  let cx = 0;
  let dx = 0;
  let ay = 0;
  let by = 0;
  let cy = 0;
  let dy = 0;
  for (let i = 0; i < length; i++) {
    const atX = right[x + i] ?? 0;
    const atY = right[y + i] ?? 0;
    const atA = left[a + i] ?? 0;
    const atB = left[b + i] ?? 0;
    const atC = left[c + i] ?? 0;
    const atD = left[d + i] ?? 0;
    ax += atA * atX;
    bx += atB * atX;
    cx += atC * atX;
    dx += atD * atX;
    ay += atA * atY;
    by += atB * atY;
    cy += atC * atY;
    dy += atD * atY;
  }
  const at = row * columns + column;
  into[at] = ax;
  into[at + 1] = ay;
  into[at + columns] = bx;
  into[at + columns + 1] = by;
  into[at + 2 * columns] = cx;
  into[at + 2 * columns + 1] = cy;
  into[at + 3 * columns] = dx;
  into[at + 3 * columns + 1] = dy;
}

/** What is left at the edges. */
function multiplyRest(
  into: Float64Array,
  left: Float64Array,
  right: Float64Array,
  length: number,
  row: number,
  column: number,
): void {
  const [rows, columns] = [left.length / length, right.length / length];
  for (let r = row; r < Math.min(row + 4, rows); r++)
    for (let c = column; c < Math.min(column + 2, columns); c++) {
      let sum = 0;
      for (let i = 0; i < length; i++) sum += (left[r * length + i] ?? 0) * (right[c * length + i] ?? 0);
      into[r * columns + c] = sum;
    }
}
