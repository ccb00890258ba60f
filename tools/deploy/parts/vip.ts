import { infrastructures } from "../../../src/api/builtin-crds/infrastructures.ts";
import { rule } from "../../../src/api/kinds/rbac.ts";
import {
  account,
  clusterRights,
  hostDirectory,
  metricsService,
  nodeName,
  onEveryNode,
  type Program,
} from "../objects.ts";
import type { About, DeployedPart } from "../part.ts";

/** Virtual addresses of the API and of ingress, in place of kube-vip. */
export const vip: DeployedPart = {
  name: "vip",
  definitions: [infrastructures],
  objects: ({ image }: About) => {
    const program: Program = {
      name: "tandem-vip",
      command: ["vip", "run"],
      flags: [],
      service: "vip",
      image,
      healthPort: 10_263,
      env: nodeName,
      memory: "100Mi",
      volumes: [
        // What was in force last is used again where the API cannot be asked: it may be behind such an address.
        hostDirectory("state", "/var/lib/tandem/vip"),
        { volume: { name: "run", emptyDir: {} }, mount: { mountPath: "/run" } },
      ],
    };
    return {
      programs: [program],
      rights: [
        account(program.name),
        ...clusterRights(program.name, [
          rule("list watch patch", "core", "nodes"),
          rule("list watch", "core", "pods"),
          rule("list watch", "config.openshift.io", "infrastructures"),
        ]),
      ],
      workload: [onEveryNode(program)],
      metrics: [metricsService(program)],
    };
  },
};
