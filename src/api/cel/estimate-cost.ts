// Estimates the cost of a program from the sizes that its variable's type declares.
import type { Program } from "./compile.ts";
import { estimate } from "./cost/estimate.ts";
import { declaredSizes } from "./cost/sizes.ts";
import type { Type } from "./types.ts";

export function estimateCost(
  { checked }: Program,
  root: Type,
): { readonly min: number; readonly max: number } {
  return estimate(checked, declaredSizes(root));
}
