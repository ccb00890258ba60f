import { infrastructures } from "../../../src/api/builtin-crds/infrastructures.ts";
import { rule } from "../../../src/api/kinds/rbac.ts";
import { ownNodeOnly } from "../limits.ts";
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

/** Whether two versions of a field are the same; `has` since it may be missing. */
function isSame(path: string): string {
  return `(has(object.${path}) == has(oldObject.${path}) && (!has(object.${path}) || object.${path} == oldObject.${path}))`;
}

const [now, before] = ["object.metadata.annotations", "oldObject.metadata.annotations"];
const report = '"tandem.internal/vip"';
const onlyTheReport = [
  ...["spec", "metadata.labels", "metadata.finalizers", "metadata.ownerReferences"].map(isSame),
  `(!has(${now}) || ${now}.all(key, key == ${report} || (has(${before}) && key in ${before} && ${before}[key] == ${now}[key])))`,
  `(!has(${before}) || ${before}.all(key, key == ${report} || (has(${now}) && key in ${now})))`,
].join(" && ");

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
        ...ownNodeOnly({
          name: program.name,
          apiGroup: "",
          resource: "nodes",
          operations: ["UPDATE"],
          validations: [
            {
              expression: "object.metadata.name == variables.node",
              message: "a node's report is written by its own pod",
            },
            {
              expression: onlyTheReport,
              message: "only the annotation tandem.internal/vip may change",
            },
          ],
        }),
      ],
      workload: [onEveryNode(program)],
      metrics: [metricsService(program)],
    };
  },
};
