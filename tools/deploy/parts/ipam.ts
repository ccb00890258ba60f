import {
  ipPools,
  nodeSlicePools,
  overlappingRangeReservations,
} from "../../../src/api/builtin-crds/whereabouts.ts";
import { rule } from "../../../src/api/kinds/rbac.ts";
import { ipamAccountRole } from "../../../src/control/apiserver/security/ipam-account.ts";
import {
  account,
  clusterRights,
  hostDirectory,
  metricsService,
  onEveryNode,
  onSomeNodes,
  type Program,
  rights,
} from "../objects.ts";
import type { About, DeployedPart } from "../part.ts";

const whereabouts = "whereabouts.cni.cncf.io";
const kubeconfig = "/etc/cni/net.d/whereabouts.d/whereabouts.kubeconfig";

/** Addresses of secondary networks, in place of whereabouts and on its pools. */
export const ipam: DeployedPart = {
  name: "ipam",
  definitions: [ipPools, overlappingRangeReservations, nodeSlicePools],
  objects: ({ image }: About) => {
    const daemon: Program = {
      name: "tandem-ipam",
      command: ["ipam", "serve"],
      flags: ["--plugin-dir=/opt/cni/bin", `--kubeconfig-out=${kubeconfig}`],
      service: "ipam",
      image,
      healthPort: 10_268,
      memory: "80Mi",
      volumes: [
        hostDirectory("plugins", "/opt/cni/bin"),
        hostDirectory("networks", "/etc/cni/net.d"),
        hostDirectory("socket", "/run/tandem-ipam"),
        hostDirectory("local", "/var/lib/tandem/ipam"),
      ],
    };
    const reconciler: Program = {
      name: "tandem-ipam-reconciler",
      command: ["ipam", "reconcile"],
      flags: ["--watch", "--cni-config=/etc/tandem/datastore.json"],
      service: "ipam-reconciler",
      files: { "datastore.json": '{"datastore": "kubernetes"}\n' },
      image,
      memory: "80Mi",
      isUnprivileged: true,
    };
    return {
      programs: [daemon, reconciler],
      rights: [
        account(daemon.name),
        ...rights(daemon.name, ipamAccountRole.rules),
        account(reconciler.name),
        ...rights(reconciler.name, [
          rule("get list patch", whereabouts, "ippools"),
          rule("get list delete", whereabouts, "overlappingrangeipreservations"),
          rule("list patch", whereabouts, "nodeslicepools"),
          rule("patch", whereabouts, "nodeslicepools/status"),
        ]),
        ...clusterRights(reconciler.name, [rule("list", "core", "pods nodes")]),
      ],
      workload: [onEveryNode(daemon), onSomeNodes(reconciler, 1)],
      metrics: [metricsService(daemon)],
    };
  },
};
