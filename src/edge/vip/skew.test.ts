// Nodes of two versions beside each other: what an older build (commit 011c1cc) wrote into the objects and into
// its keepalived was recorded, and this build must arrive at the same, or a VIP would have two holders.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../../api/types/core.ts";
import { renderNode } from "./render/node.ts";
import { type ClusterObjects, clusterView } from "./runtime/cluster-view.ts";
import { decodeReport, encodeReport } from "./runtime/report.ts";
import { defaultSettings } from "./settings.ts";

const recordedStatus = {
  infrastructureName: "ostest",
  platform: "BareMetal",
  platformStatus: {
    type: "BareMetal",
    baremetal: {
      apiServerInternalIP: "192.168.111.5",
      apiServerInternalIPs: ["192.168.111.5", "fd00:111::5"],
      ingressIP: "192.168.111.6",
      ingressIPs: ["192.168.111.6"],
    },
  },
};

const recordedReport =
  '{"takesPart":["192.168.111.5","192.168.111.6"],"holds":[{"vip":"192.168.111.5","since":"2026-03-01T10:01:00.000Z"}],"failing":["api"]}';

const machines = [
  {
    name: "control-plane-1",
    created: "2026-03-01T10:00:00Z",
    IPv4: "192.168.111.11",
    IPv6: "fd00:111::b",
  },
  {
    name: "control-plane-2",
    created: "2026-03-01T10:00:05Z",
    IPv4: "192.168.111.12",
    IPv6: "fd00:111::c",
  },
  {
    name: "control-plane-3",
    created: "2026-03-01T10:00:05Z",
    IPv4: "192.168.111.13",
    IPv6: "fd00:111::d",
  },
] as const;

/** The lines of the older build's keepalived.conf that peers have to agree upon; these are the same everywhere. */
const recordedCommon = ["vrrp_version 3", "weight 120", "weight 120"];

/** The instances of the older build: name, router id, VIP, and the family of source and peers. */
const recordedInstances = [
  ["ostest_API_0", 14, "192.168.111.5/32", "IPv4"],
  ["ostest_API_1", 14, "fd00:111::5/128", "IPv6"],
  ["ostest_INGRESS_0", 93, "192.168.111.6/32", "IPv4"],
] as const;

/** The priorities of the older build, by the order of age. */
const recordedPriorities = [120, 119, 118];

test("[VIP-8] a node of this build takes the part that older nodes expect of it: ids, priorities, peers", () => {
  for (const [rank, { name }] of machines.entries()) {
    const text = keepalivedOf(name, objectsWith(recordedReport));
    assert.deepEqual(text.match(/vrrp_version \d|weight \d+/g), recordedCommon);
    assert.doesNotMatch(text, /authentication|auth_/);
    const expected = recordedInstances.map(([instance, id, vip, family]) => [
      `vrrp_instance ${instance} {`,
      `virtual_router_id ${id}`,
      `priority ${recordedPriorities[rank]}`,
      "advert_int 0.3",
      `unicast_src_ip ${machines[rank]?.[family]}`,
      ...machines.filter((other) => other.name !== name).map((other) => other[family]),
      vip,
    ]);
    assert.deepEqual(agreedLines(text), expected.flat());
  }
});

test("[VIP-8] reports of one build are read by the other", () => {
  const { takesPart, holds, failing } = decodeReport(recordedReport);
  assert.equal(encodeReport({ takesPart, holds, failing }), recordedReport);
  // A report of this build has everything that an older one looks for, in the same form.
  const since = "2026-03-01T10:00:00Z";
  const more: unknown = JSON.parse(
    encodeReport({ takesPart, holds, failing, since, problem: "x" }),
  );
  assert.deepEqual(more, { ...(JSON.parse(recordedReport) as object), since, problem: "x" });
});

test("[VIP-8] nodes whose reports tell their age have the place that older nodes give them", () => {
  const told = (created: string) => JSON.stringify({ takesPart: [], since: created });
  for (const { name } of machines) {
    const [recorded, newer] = [recordedReport, told].map((report) =>
      agreedLines(keepalivedOf(name, objectsWith(report))),
    );
    assert.deepEqual(newer, recorded);
  }
});

function objectsWith(report: string | ((created: string) => string)): ClusterObjects {
  const nodes = machines.map(({ name, created, IPv4, IPv6 }): Node => {
    const text = typeof report === "string" ? report : report(created);
    return {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        creationTimestamp: created,
        labels: { "node-role.kubernetes.io/control-plane": "" },
        annotations: { "tandem.internal/vip": text },
      },
      spec: {},
      status: { addresses: [IPv4, IPv6].map((address) => ({ type: "InternalIP", address })) },
    };
  });
  const ingressPods = machines.map(({ name }): Pod => {
    const spec = { nodeName: name, containers: [] };
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec, status } as unknown as Pod;
  });
  return {
    infrastructure: {
      apiVersion: "config.openshift.io/v1",
      kind: "Infrastructure",
      metadata: { name: "cluster" },
      status: recordedStatus,
    },
    nodes,
    ingressPods,
  };
}

function keepalivedOf(name: string, objects: ClusterObjects): string {
  const { cluster, nodes } = clusterView(objects);
  const local = { name, linkOf: () => "eth0", holds: [], grouped: [] };
  const options = { local, settings: defaultSettings, directory: "/run/tandem/vip" };
  return renderNode(cluster, nodes, options).keepalived ?? "";
}

/** Returns the lines that peers have to agree upon, of every instance. */
function agreedLines(keepalived: string): readonly string[] {
  const agreed =
    /^(vrrp_instance .*|virtual_router_id .*|priority .*|advert_int .*|unicast_src_ip .*|[0-9a-f.:/]+)$/;
  return keepalived
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => agreed.test(line));
}
