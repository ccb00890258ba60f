import type { ContainerState } from "../runtime/port.ts";
import { ServeError } from "./error.ts";
import type { ContainerTarget } from "./target.ts";

export function found(
  state: ContainerState | undefined,
  { pod, container }: ContainerTarget,
): ContainerState {
  if (state !== undefined) return state;
  const message = `container "${container}" in pod "${pod}" is not available: it has not been started here`;
  throw new ServeError(404, message);
}
