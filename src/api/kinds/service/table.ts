// The table of `kubectl get services`. It shows all cluster IPs; stock Kubernetes shows the first.
import type { Service } from "../../types/core.ts";
import { ageOf } from "../age.ts";
import type { TableDefinition } from "../kind.ts";

export const serviceTable: TableDefinition<Service> = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Type", type: "string" },
    { name: "Cluster-IP", type: "string" },
    { name: "External-IP", type: "string" },
    { name: "Port(s)", type: "string" },
    { name: "Age", type: "string" },
    { name: "Selector", type: "string", priority: 1 },
  ],
  rows(service, now) {
    const { metadata, spec } = service;
    return [
      [
        metadata.name,
        spec.type,
        listOr(spec.clusterIPs ?? [spec.clusterIP ?? ""], "<none>"),
        externalAddresses(service),
        ports(service),
        ageOf(metadata.creationTimestamp, now),
        selector(service),
      ],
    ];
  },
};

function externalAddresses({ spec, status }: Service): string {
  const own = spec.externalIPs ?? [];
  if (spec.type === "ExternalName") return spec.externalName ?? "<none>";
  if (spec.type !== "LoadBalancer") return listOr(own, "<none>");
  const assigned = (status?.loadBalancer?.ingress ?? []).map(
    (ingress) => ingress.ip ?? ingress.hostname ?? "",
  );
  return listOr([...assigned, ...own], "<pending>");
}

function ports({ spec }: Service): string {
  const texts = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return listOr(texts, "<none>");
}

function selector({ spec }: Service): string {
  const pairs = Object.entries(spec.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  return listOr(pairs.toSorted(), "<none>");
}

function listOr(values: readonly string[], fallback: string): string {
  return values.filter((value) => value !== "").join(",") || fallback;
}
