import type { Pod } from "../../../api/types/core.ts";
import type { ControllerBase } from "../context.ts";
import { Children } from "./children.ts";
import { byController } from "./ownership.ts";

/** Returns the pods that all controllers of a process share: `context.shared(sharedPods)`. */
export function sharedPods({ client, informers, clock }: ControllerBase): Children<Pod> {
  const resource = client.resource("v1", "Pod");
  return new Children({ resource, informer: informers.of(resource), clock }, [byController]);
}
