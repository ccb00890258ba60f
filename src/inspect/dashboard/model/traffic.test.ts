import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterOf } from "../testing/clusters.ts";
import { readFlows, trafficOf } from "./traffic.ts";

const cluster = clusterOf({
  nodes: 2,
  pods: [{ node: 0, isReady: true }],
  services: [{ pods: [0], type: "NodePort" }],
});

const four =
  "tcp      6 431999 ESTABLISHED src=10.100.0.7 dst=10.96.0.10 sport=40000 dport=80 packets=4 bytes=300 " +
  "src=10.100.0.2 dst=10.100.0.7 sport=8080 dport=40000 packets=3 bytes=700 [ASSURED] mark=0 use=1";
const six =
  "tcp      6 100 TIME_WAIT src=fd00:9::1 dst=fd00:1::2 sport=1 dport=30000 src=fd00:100::2 dst=fd00:9::1 sport=8080 dport=1 mark=0";
const other =
  "udp      17 29 src=10.100.0.7 dst=10.96.0.10 sport=5 dport=80 src=10.1.1.1 dst=10.100.0.7";

test("[DASH-1] connections to cluster IPs and node ports are counted for their service and family, once", () => {
  const flows = readFlows(
    [four, four, six, other, "conntrack v1.4.7: 3 flow entries", ""].join("\n"),
  );
  assert.equal(flows.length, 4);
  assert.deepEqual(trafficOf(cluster, flows), [
    { service: "shop/service-0", family: "IPv4", readyEndpoints: 1, connections: 1, bytes: 1000 },
    {
      service: "shop/service-0",
      family: "IPv6",
      readyEndpoints: 1,
      connections: 1,
      bytes: undefined,
    },
  ]);
});

test("[DASH-1] what no kernel told is not known, which is not zero", () => {
  const [first] = trafficOf(cluster, undefined);
  assert.equal(first?.connections, undefined);
  assert.equal(trafficOf(cluster, [])[0]?.connections, 0);
});
