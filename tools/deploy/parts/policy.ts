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

/** Network policies, for networks of others that have none. */
export const policy: DeployedPart = {
  name: "policy",
  definitions: [],
  objects: ({ image }: About) => {
    const program: Program = {
      name: "tandem-policy",
      command: ["policy", "run"],
      flags: [],
      service: "policy",
      image,
      healthPort: 10_247,
      env: nodeName,
      memory: "80Mi",
    };
    return {
      programs: [program],
      rights: [
        account(program.name),
        ...clusterRights(program.name, [
          rule("list watch", "core", "pods namespaces nodes"),
          rule("list watch", "networking.k8s.io", "networkpolicies"),
          rule("list watch", "policy.networking.k8s.io", "clusternetworkpolicies"),
        ]),
      ],
      workload: [onEveryNode(program)],
      metrics: [metricsService(program)],
    };
  },
};
