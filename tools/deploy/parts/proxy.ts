import { rule } from "../../../src/api/kinds/rbac.ts";
import {
  account,
  clusterRights,
  metricsService,
  nodeName,
  onEveryNode,
  type Program,
} from "../objects.ts";
import type { About, DeployedPart } from "../part.ts";

/** The service proxy, in place of kube-proxy. */
export const proxy: DeployedPart = {
  name: "proxy",
  definitions: [],
  objects: ({ image }: About) => {
    const program: Program = {
      name: "tandem-proxy",
      command: ["proxy", "run"],
      flags: [],
      service: "proxy",
      image,
      healthPort: 10_249,
      env: nodeName,
      memory: "80Mi",
      volumes: [
        {
          // Programs that write rules by iptables take turns by this file.
          volume: { name: "lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
          mount: { mountPath: "/run/xtables.lock" },
        },
      ],
    };
    return {
      programs: [program],
      rights: [
        account(program.name),
        ...clusterRights(program.name, [
          rule("list watch", "core", "services nodes"),
          rule("list watch", "discovery.k8s.io", "endpointslices"),
          rule("create patch", "core", "events"),
        ]),
      ],
      workload: [onEveryNode(program)],
      metrics: [metricsService(program)],
    };
  },
};
