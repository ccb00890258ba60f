import type { PodContainers } from "../pods/pods.ts";
import type { ContainerState } from "../runtime/runtime.ts";
import { ServeError } from "./error.ts";
import type { ContainerTarget } from "./target.ts";

/** Finds the requested container; refuses in words for people if there is none. */
export async function findContainer(
  pods: PodContainers,
  { namespace, pod, container }: ContainerTarget,
  previous = false,
): Promise<ContainerState> {
  const state = await pods.find({ namespace, name: pod }, container, { previous });
  if (state !== undefined) return state;
  const name = `container "${container}" in pod "${pod}"`;
  throw new ServeError(
    400,
    previous ? `previous terminated ${name} not found` : `${name} is waiting to start`,
  );
}
