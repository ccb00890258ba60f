// The keeper of a node's policies in a process of its own, whose rules go into a given network namespace.
//
//   keeper.ts KUBECONFIG NAMESPACE NODE PORT

import { connectByKubeconfig } from "../../examples/connect.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { inNamespace } from "../../src/base/host/command.ts";
import { Registry } from "../../src/base/program/metrics.ts";
import { defaultPolicySettings, openPolicies } from "../../src/node/policy/policy.ts";

export interface KeeperCosts {
  /** CPU time in milliseconds. */
  readonly cpu: number;
  readonly rss: number;
}

if (import.meta.main) {
  const [, , kubeconfig, namespace = "", node = "", port = "0"] = process.argv;
  const surroundings = await connectByKubeconfig("bench-policies", kubeconfig);
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({
      cpu: (user + system) / 1000,
      rss: process.memoryUsage().rss,
    } satisfies KeeperCosts);
  });
  const stop = new AbortController();
  process.once("disconnect", () => stop.abort());
  const policies = openPolicies(
    {
      ...defaultPolicySettings,
      node,
      mayBridge: false,
      healthAddress: [{ host: "127.0.0.1", port: Number(port) }],
    },
    {
      ...surroundings,
      commands: inNamespace(systemCommands(), namespace),
      metrics: new Registry(),
    },
  );
  await policies.run(stop.signal);
  surroundings.client.transport.close();
}
