import { once } from "node:events";
import { rule } from "../../../api/kinds/rbac.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { ControllerEntry } from "../context.ts";
import { addressesController } from "./addresses-controller.ts";
import { evictionController } from "./eviction-controller.ts";
import { ipamController } from "./ipam-controller.ts";
import { lifecycleController } from "./lifecycle-controller.ts";
import { podGcController } from "./pod-gc-controller.ts";
import type { OpenProvider } from "./provider.ts";
import { routesController } from "./routes-controller.ts";

export interface NodeControllersOptions {
  /** Opens the provider; without one, nodes get no pod CIDRs. */
  readonly openProvider?: OpenProvider | undefined;
  readonly clusterCidrs: readonly Prefix[];
  /** How long a node may be silent or missing. */
  readonly graceMs?: number | undefined;
}

export function nodeControllers(options: NodeControllersOptions): readonly ControllerEntry[] {
  const { openProvider, clusterCidrs, graceMs } = options;
  return [
    ...(openProvider === undefined ? [] : providerControllers(openProvider, clusterCidrs)),
    {
      name: "node-lifecycle",
      create: (context) => lifecycleController(context, { graceMs }),
    },
    { name: "taint-eviction", create: evictionController },
    { name: "pod-gc", create: (context) => podGcController(context, { graceMs }) },
  ];
}

function providerControllers(
  openProvider: OpenProvider,
  clusterCidrs: readonly Prefix[],
): readonly ControllerEntry[] {
  return [
    {
      name: "node-ipam",
      // A pod CIDR is reserved by a lease.
      rights: [rule("create update", "coordination.k8s.io", "leases")],
      create: (context) => ipamController(context, context.shared(openProvider)),
    },
    {
      name: "node-addresses",
      create(context) {
        const provider = context.shared(openProvider);
        const { addresses } = provider;
        return addresses === undefined
          ? idle("node-addresses")
          : addressesController(context, addresses);
      },
    },
    {
      name: "node-routes",
      create(context) {
        const { routes: table } = context.shared(openProvider);
        return table === undefined
          ? idle("node-routes")
          : routesController(context, { table, clusterCidrs });
      },
    },
  ];
}

/** Stands in for a controller that the provider does not need. */
function idle(name: string): Part {
  return {
    name,
    async run(signal) {
      if (!signal.aborted) await once(signal, "abort");
    },
  };
}
