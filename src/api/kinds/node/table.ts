import type { Node } from "../../types/core.ts";
import { ageOf } from "../age.ts";
import type { TableDefinition } from "../kind.ts";

const rolePrefix = "node-role.kubernetes.io/";

export const nodeTable: TableDefinition<Node> = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Status", type: "string" },
    { name: "Roles", type: "string" },
    { name: "Age", type: "string" },
    { name: "Version", type: "string" },
    { name: "Internal-IP", type: "string", priority: 1 },
    { name: "External-IP", type: "string", priority: 1 },
    { name: "OS-Image", type: "string", priority: 1 },
    { name: "Kernel-Version", type: "string", priority: 1 },
    { name: "Container-Runtime", type: "string", priority: 1 },
  ],
  rows(node, now) {
    const { nodeInfo } = node.status ?? {};
    return [
      [
        node.metadata.name,
        readiness(node),
        roles(node),
        ageOf(node.metadata.creationTimestamp, now),
        nodeInfo?.kubeletVersion ?? "",
        addressesOf(node, "InternalIP"),
        addressesOf(node, "ExternalIP"),
        nodeInfo?.osImage || "<unknown>",
        nodeInfo?.kernelVersion || "<unknown>",
        nodeInfo?.containerRuntimeVersion || "<unknown>",
      ],
    ];
  },
};

function readiness({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
  const text = ready === "True" ? "Ready" : ready === undefined ? "Unknown" : "NotReady";
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
}

function roles({ metadata }: Node): string {
  const labels = Object.entries(metadata.labels ?? {});
  const names = labels
    .map(([key, value]) => {
      if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
      return key === "kubernetes.io/role" ? value : "";
    })
    .filter((name) => name !== "");
  return names.toSorted().join(",") || "<none>";
}

/** Returns all addresses of a type; stock Kubernetes shows only the first. */
function addressesOf({ status }: Node, wanted: string): string {
  const found = (status?.addresses ?? []).filter(({ type }) => type === wanted);
  return found.map(({ address }) => address).join(",") || "<none>";
}
