import type { CallOptions } from "../../../../base/host/command.ts";
import type { Ip } from "../../../../base/host/ip.ts";
import type { Address } from "../../../../base/net/address.ts";
import type { Attached } from "../attached.ts";
import type { Attachment } from "../attachment.ts";
import type { CniRuntime } from "../runtime.ts";
import type { PlannedNetwork } from "./plan.ts";

interface AttachOptions extends CallOptions, Pick<Attachment, "container" | "namespace" | "args"> {
  readonly runtime: Pick<CniRuntime, "add" | "attached" | "deleteAll">;
  /** The ip(8) of the container's namespace, for default routes. */
  readonly ip: Ip;
  /** The addresses that the pod had before its sandbox died, by interface, to be requested again. */
  readonly previous?: Readonly<Record<string, readonly Address[]>>;
  readonly onLeft?: (errors: readonly unknown[]) => void;
}

/**
 * Attaches a container to all networks of the plan, or to none. Existing interfaces of an interrupted attempt
 * stay as they are. Rejects with why it could not be attached; errors of undoing the rest go to `onLeft`.
 */
export async function attachNetworks(
  plan: readonly PlannedNetwork[],
  options: AttachOptions,
): Promise<readonly Attached[]> {
  const { runtime, container, namespace, args, ip, previous = {}, signal } = options;
  const present = await runtime.attached(container);
  const done: Attached[] = [];
  try {
    for (const { network, attachment, defaultRoute } of plan) {
      const found = present.find((one) => one.interface === attachment.interface);
      const preferredAddresses = previous[attachment.interface] ?? [];
      const whole = {
        ...attachment,
        container,
        namespace,
        ...(args && { args }),
        preferredAddresses,
      };
      done.push(found ?? (await runtime.add(network, whole, { signal })));
      const lines = defaultRoute.map(
        (gateway) => `route replace default via ${gateway} dev ${attachment.interface}`,
      );
      await ip.batch(lines, { signal });
    }
    return done;
  } catch (error) {
    const left = await runtime.deleteAll(container);
    if (left.length > 0) options.onLeft?.(left);
    throw error;
  }
}
