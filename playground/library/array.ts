// Complex arrays of several variables on modes, as pairs of real arrays.

export interface ComplexArray {
  re: Float64Array;
  im: Float64Array;
}

export const complexZeros = (n: number): ComplexArray => ({ re: new Float64Array(n), im: new Float64Array(n) });

export function squaredNorm(values: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k] * values[k];
  return sum;
}

export const norm = (values: Float64Array): number => Math.sqrt(squaredNorm(values));

export function maxAbs(values: Float64Array): number {
  let largest = 0;
  for (let k = 0; k < values.length; k++) {
    const size = Math.abs(values[k]);
    if (!(size <= largest)) largest = size; // NaN is the largest
  }
  return largest;
}
