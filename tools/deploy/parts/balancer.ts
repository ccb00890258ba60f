import { addressPools } from "../../../src/api/builtin-crds/address-pools.ts";
import { rule } from "../../../src/api/kinds/rbac.ts";
import { ownNodeOnly } from "../limits.ts";
import {
  account,
  clusterRights,
  metricsService,
  nodeName,
  onEveryNode,
  onSomeNodes,
  type Program,
  rights,
} from "../objects.ts";
import type { About, DeployedPart } from "../part.ts";

/** Addresses of services of type LoadBalancer, in place of MetalLB. */
export const balancer: DeployedPart = {
  name: "balancer",
  definitions: [addressPools],
  objects: ({ image }: About) => {
    const announcer: Program = {
      name: "tandem-balancer",
      command: ["balancer", "announce"],
      flags: [],
      service: "balancer",
      image,
      healthPort: 10_265,
      env: nodeName,
      memory: "80Mi",
    };
    const allocator: Program = {
      name: "tandem-balancer-assign",
      command: ["balancer", "assign"],
      flags: [],
      service: "balancer-assign",
      image,
      healthPort: 10_267,
      memory: "80Mi",
      isUnprivileged: true,
    };
    return {
      programs: [announcer, allocator],
      rights: [
        account(announcer.name),
        ...clusterRights(announcer.name, [
          rule("list watch", "core", "services nodes"),
          rule("list watch", "discovery.k8s.io", "endpointslices"),
        ]),
        ...rights(
          announcer.name,
          [rule("list watch create patch delete", "coordination.k8s.io", "leases")],
          "kube-node-lease",
        ),
        // Leases of this namespace are what tells that nodes live.
        ...ownNodeOnly({
          name: announcer.name,
          apiGroup: "coordination.k8s.io",
          resource: "leases",
          operations: ["CREATE", "UPDATE", "DELETE"],
          validations: [
            {
              expression:
                '(request.operation == "DELETE" ? oldObject : object).metadata.name == variables.node + ".announcer.tandem.internal"',
              message: "an announcer has the lease of its own node, and no other",
            },
          ],
        }),
        account(allocator.name),
        ...clusterRights(allocator.name, [
          rule("list watch", "core", "services nodes namespaces"),
          rule("list watch", "tandem.internal", "addresspools"),
          rule("patch", "tandem.internal", "addresspools/status"),
          rule("patch", "core", "services/status"),
          rule("get", "apiextensions.k8s.io", {
            resources: "customresourcedefinitions",
            names: addressPools.metadata.name,
          }),
          rule("create patch", "core", "events"),
        ]),
        ...rights(allocator.name, [
          rule("create", "coordination.k8s.io", "leases"),
          rule("get watch update", "coordination.k8s.io", {
            resources: "leases",
            names: "tandem-balancer",
          }),
        ]),
      ],
      workload: [onEveryNode(announcer), onSomeNodes(allocator, 2)],
      metrics: [metricsService(announcer), metricsService(allocator)],
    };
  },
};
