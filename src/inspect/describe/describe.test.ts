import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoints, Event, Node, Pod, Service } from "../../api/types/core.ts";
import { describeEndpoints } from "./endpoints.ts";
import { layOut } from "./layout.ts";
import { describeNode } from "./node.ts";
import { describePod } from "./pod.ts";
import { describeService } from "./service.ts";

const now = new Date("2026-01-01T01:00:00Z");
const creationTimestamp = "2026-01-01T00:00:00Z";
const metadata = { namespace: "default", name: "web", uid: "u", creationTimestamp };

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata, labels: { app: "web", tier: "front" } },
  spec: {
    nodeName: "n1",
    serviceAccountName: "default",
    containers: [
      {
        name: "main",
        image: "nginx",
        ports: [{ containerPort: 80, protocol: "TCP" as const }],
        resources: { requests: { cpu: "500m", memory: "64Mi" } },
        env: [{ name: "A", value: "1" }],
      },
    ],
    tolerations: [
      {
        key: "node.kubernetes.io/not-ready",
        operator: "Exists" as const,
        effect: "NoExecute" as const,
        tolerationSeconds: 300,
      },
    ],
  },
  status: {
    phase: "Running" as const,
    hostIP: "192.0.2.1",
    podIP: "fd00:db8:1::2",
    podIPs: [{ ip: "fd00:db8:1::2" }, { ip: "192.168.1.3" }],
    conditions: [{ type: "Ready", status: "True" }],
    qosClass: "Burstable" as const,
  },
};

const event: Event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { ...metadata, name: "e" },
  involvedObject: {},
  type: "Normal",
  reason: "Started",
  message: "Started container main",
  source: { component: "tandem-agent" },
  lastTimestamp: "2026-01-01T00:59:30Z",
};

test("[POD-9] a pod's addresses stand beside IPs, joined by commas", () => {
  assert.equal(
    layOut(describePod({ pod, events: [event] }, now)),
    `Name:             web
Namespace:        default
Priority:         0
Service Account:  default
Node:             n1/192.0.2.1
Labels:           app=web
                  tier=front
Annotations:      <none>
Status:           Running
IP:               fd00:db8:1::2
IPs:              fd00:db8:1::2,192.168.1.3
Containers:
  main:
    Image:          nginx
    Port:           80/TCP
    Host Port:      0/TCP
    State:          Waiting
    Ready:          False
    Restart Count:  0
    Requests:
      cpu:     500m
      memory:  64Mi
    Environment:
      A:     1
    Mounts:  <none>
Conditions:
  Type           Status
  Ready          True
Volumes:         <none>
QoS Class:       Burstable
Node-Selectors:  <none>
Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type    Reason   Age  From          Message
  ----    ------   ---  ----          -------
  Normal  Started  30s  tandem-agent  Started container main
`,
  );
});

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: {
    type: "NodePort" as const,
    selector: { app: "web" },
    clusterIP: "fd00:96::a",
    clusterIPs: ["fd00:96::a", "10.96.0.10"],
    ipFamilies: ["IPv6", "IPv4"] as ("IPv4" | "IPv6")[],
    ipFamilyPolicy: "RequireDualStack" as const,
    endpointFamily: "dual-stack",
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" as const, nodePort: 30_080 }],
    sessionAffinity: "None" as const,
  },
};

function endpointsOf(...ips: string[][]): Endpoints {
  const addresses = ips.map((each) => ({ ip: each[0] ?? "", ips: each }));
  const subsets = [{ addresses, ports: [{ port: 80, protocol: "TCP" as const }] }];
  return { apiVersion: "v1", kind: "Endpoints", metadata, subsets };
}

test("[SVC-8] [EP-5] a service's families, addresses, endpoint family and endpoints as pairs", () => {
  const endpoints = endpointsOf(["fd00:db8:1::2", "192.168.1.3"], ["fd00:db8:2::2", "192.168.2.3"]);
  assert.equal(
    layOut(describeService({ service, endpoints, events: [] }, now)),
    `Name:              web
Namespace:         default
Labels:            <none>
Annotations:       <none>
Selector:          app=web
Type:              NodePort
IP Family Policy:  RequireDualStack
IP Families:       IPv6,IPv4
IP:                fd00:96::a
IPs:               fd00:96::a,10.96.0.10
Endpoint Family:   dual-stack
Port:              <unset>  80/TCP
TargetPort:        8080/TCP
NodePort:          <unset>  30080/TCP
Endpoints:         {[fd00:db8:1::2]:80,192.168.1.3:80}
                   {[fd00:db8:2::2]:80,192.168.2.3:80}
Session Affinity:  None
Events:            <none>
`,
  );
});

test("[EP-5] beyond a few, the rest is counted; single addresses stand without braces", () => {
  const lines = (endpoints: Endpoints | undefined) =>
    layOut(describeService({ service, endpoints, events: [] }, now))
      .split("\n")
      .filter((line) => /^Endpoints:|^ /.test(line))
      .map((line) => line.slice(19));
  const single = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((ip) => [ip]);
  assert.deepEqual(lines(endpointsOf(...single)), [
    "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...",
  ]);
  const pairs = [1, 2, 3, 4, 5, 6, 7].map((n) => [`fd00::${n}`, `10.0.0.${n}`]);
  assert.deepEqual(lines(endpointsOf(...pairs)).slice(4), [
    "{[fd00::5]:80,10.0.0.5:80}",
    "+ 2 more",
  ]);
  assert.deepEqual(lines(undefined), ["<none>"]);
});

test("[EP-5] endpoints are described as pairs, one a line", () => {
  const endpoints = endpointsOf(["fd00::1", "10.0.0.1"], ["fd00::2", "10.0.0.2"]);
  assert.equal(
    layOut(describeEndpoints({ endpoints, events: [] }, now)),
    `Name:         web
Namespace:    default
Labels:       <none>
Annotations:  <none>
Subsets:
  Addresses:          {fd00::1,10.0.0.1}
                      {fd00::2,10.0.0.2}
  NotReadyAddresses:  <none>
  Ports:
    Name     Port  Protocol
    ----     ----  --------
    <unset>  80    TCP

Events:  <none>
`,
  );
});

test("a node is described with its CIDRs and addresses of both families, and what its pods ask for", () => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", creationTimestamp, labels: { "node-role.kubernetes.io/worker": "" } },
    spec: { podCIDR: "10.244.0.0/24", podCIDRs: ["10.244.0.0/24", "fd00:10:244::/64"] },
    status: {
      allocatable: { cpu: "2", memory: "1Gi" },
      addresses: [
        { type: "InternalIP", address: "192.0.2.1" },
        { type: "InternalIP", address: "2001:db8::1" },
      ],
    },
  };
  const text = layOut(describeNode({ node, lease: undefined, pods: [pod], events: [] }, now));
  for (const line of [
    "Roles:              worker",
    "CreationTimestamp:  Thu, 01 Jan 2026 00:00:00 +0000",
    "  InternalIP:  192.0.2.1",
    "  InternalIP:  2001:db8::1",
    "PodCIDRs:                     10.244.0.0/24,fd00:10:244::/64",
    "Non-terminated Pods:          (1 in total)",
    "  default                     web   500m (25%)    0 (0%)      64Mi (6%)        0 (0%)         60m",
    "  cpu                500m (25%)  0 (0%)",
    "  memory             64Mi (6%)   0 (0%)",
  ]) {
    assert.ok(text.includes(`\n${line}\n`), `${line}\nis not in\n${text}`);
  }
});
