import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "../../fields/field-error.ts";
import type { Pod, PodIP, PodStatus } from "../../types/core.ts";
import type { Kind, WriteContext } from "../kind.ts";
import { kindOf } from "../kinds.ts";
import { create, update } from "../testing/write.ts";

const kind = kindOf("", "Pod") as Kind<Pod>;

const v4 = "10.0.0.2";
const v6 = "fd00::2";
const claim = { "service.kubernetes.io/service-controller-name": "blue" };
const otherSpelling = { "service.kubernetes.io/managed-by": "green" };
const network = { "tandem.internal/network": "storage" };

function stored(status: PodStatus = {}): Pod {
  const object: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "nginx:1.25" }] },
  };
  assert.deepEqual(create(kind, object), []);
  object.status = { ...object.status, ...status };
  return object;
}

type Patch = Pick<WriteContext, "patch">;

function writeStatus(old: Pod, status: PodStatus, context: Patch = {}): [Pod, FieldError[]] {
  const object = structuredClone(old);
  object.status = { ...object.status, ...status };
  return [object, update(kind, object, { old, subresource: "status", ...context })];
}

function written(old: Pod, status: PodStatus, context: Patch = {}): PodStatus {
  const [object, errors] = writeStatus(old, status, context);
  assert.deepEqual(errors, []);
  return object.status ?? {};
}

function refusedFields(old: Pod, status: PodStatus): string[] {
  return writeStatus(old, status)[1].map(({ field }) => field);
}

test("[POD-1] the singular fields follow the lists, in canonical spelling", () => {
  const { podIP, podIPs } = written(stored(), { podIPs: [{ ip: "FD00:0::2" }, { ip: v4 }] });
  assert.equal(podIP, v6);
  assert.deepEqual(podIPs, [{ ip: v6 }, { ip: v4 }]);
});

test("[POD-2] a client that knows only podIP gets a list", () => {
  assert.deepEqual(written(stored(), { podIP: v4 }).podIPs, [{ ip: v4 }]);
});

test("[POD-3] fields that differ are refused by the name of the singular", () => {
  assert.deepEqual(refusedFields(stored(), { podIP: v4, podIPs: [{ ip: v6 }] }), ["status.podIP"]);
});

test("[POD-3] a patch of podIP alone moves the first element", () => {
  const old = stored({ podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] });
  const status = written(old, { podIP: "fd00::3" }, { patch: "merge" });
  assert.deepEqual(status.podIPs, [{ ip: "fd00::3" }, { ip: v4 }]);
});

test("[POD-4] pods stored before the list existed are read with it", () => {
  const old = stored();
  old.status = { podIP: v4, hostIP: "192.168.0.1" };
  kind.upgrade?.(old);
  assert.deepEqual(old.status.podIPs, [{ ip: v4 }]);
  assert.deepEqual(old.status.hostIPs, [{ ip: "192.168.0.1" }]);
});

const third: PodIP = { ip: "10.0.0.3" };
const addressCases: readonly { name: string; podIPs: PodIP[]; refused: string[] }[] = [
  { name: "one of each family", podIPs: [{ ip: v6 }, { ip: v4 }], refused: [] },
  {
    name: "an unmarked third",
    podIPs: [{ ip: v6 }, { ip: v4 }, third],
    refused: ["status.podIPs[2].ip"],
  },
  {
    name: "a third of another network",
    podIPs: [{ ip: v6 }, { ip: v4 }, { ...third, properties: network }],
    refused: [],
  },
  {
    name: "a third that is claimed",
    podIPs: [{ ip: v6 }, { ip: v4 }, { ...third, properties: claim }],
    refused: [],
  },
  { name: "a link-local one", podIPs: [{ ip: "fe80::1" }], refused: ["status.podIPs[0].ip"] },
  { name: "no address", podIPs: [{ ip: "ten" }], refused: ["status.podIPs[0].ip"] },
];

for (const { name, podIPs, refused } of addressCases) {
  test(`[POD-5] addresses of a pod: ${name}`, () => {
    assert.deepEqual(refusedFields(stored(), { podIPs }), refused);
  });
}

test("[POD-7] host addresses: one of each family", () => {
  const hostIPs = [{ ip: "192.168.0.1" }, { ip: "fd00:1::1" }];
  assert.equal(written(stored(), { hostIPs }).hostIP, "192.168.0.1");
  assert.deepEqual(refusedFields(stored(), { hostIPs: [...hostIPs, { ip: "192.168.0.2" }] }), [
    "status.hostIPs[2].ip",
  ]);
});

test("[POD-10] a status written by a client that knows no properties keeps them", () => {
  const old = stored({ podIP: v6, podIPs: [{ ip: v6, properties: claim }, { ip: v4 }] });
  const { podIPs } = written(old, { podIPs: [{ ip: v6 }, { ip: v4 }] });
  assert.deepEqual(podIPs, [{ ip: v6, properties: claim }, { ip: v4 }]);
});

test("[POD-10] a pod written by a client that drops the whole status keeps it", () => {
  const old = stored({ podIP: v6, podIPs: [{ ip: v6, properties: claim }] });
  const object = structuredClone(old);
  delete object.status;
  assert.deepEqual(update(kind, object, { old }), []);
  assert.deepEqual(object.status, old.status);
});

test("[PROP-1] keys of properties are checked like those of annotations", () => {
  const podIPs = [{ ip: v4, properties: { "not ok": "any text" } }];
  assert.deepEqual(refusedFields(stored(), { podIPs }), ["status.podIPs[0].properties"]);
  assert.deepEqual(
    written(stored(), { podIPs: [{ ip: v4, properties: { "Example.com/X": "any text" } }] }).podIP,
    v4,
  );
});

test("[PROP-3] pods are found by every claimant of their addresses", () => {
  const podIPs = [{ ip: v4, properties: claim }, { ip: v6, properties: otherSpelling }, third];
  const field = "status.podIPs.serviceControllerName";
  assert.ok(kind.selectableFields?.includes(field));
  assert.deepEqual(kind.selectableField?.(stored({ podIPs }), field), ["blue", "green"]);
  assert.deepEqual(kind.selectableField?.(stored(), field), []);
});

const fieldCases: readonly [field: string, value: string][] = [
  ["spec.nodeName", "n1"],
  ["spec.restartPolicy", "Always"],
  ["spec.schedulerName", "default-scheduler"],
  ["spec.serviceAccountName", "default"],
  ["spec.hostNetwork", "false"],
  ["status.phase", "Running"],
  ["status.podIP", v4],
  ["status.podIPs", v4],
  ["status.nominatedNodeName", "n2"],
];

test("pods are selected by the fields Kubernetes has", () => {
  const object = stored({
    phase: "Running" as const,
    podIPs: [{ ip: v4 }],
    nominatedNodeName: "n2",
  });
  object.spec.nodeName = "n1";
  for (const [field, value] of fieldCases) {
    assert.equal(kind.selectableField?.(object, field), value, field);
  }
});

type Phase = NonNullable<PodStatus["phase"]>;
const graceCases: readonly { name: string; nodeName?: string; phase?: Phase; seconds: number }[] = [
  { name: "a pod without a node", seconds: 0 },
  { name: "a running pod", nodeName: "n1", phase: "Running" as const, seconds: 30 },
  { name: "a finished pod", nodeName: "n1", phase: "Succeeded" as const, seconds: 0 },
  { name: "a failed pod", nodeName: "n1", phase: "Failed" as const, seconds: 0 },
];

for (const { name, nodeName, phase, seconds } of graceCases) {
  test(`the grace period of ${name}`, () => {
    const object = stored(phase === undefined ? {} : { phase });
    if (nodeName !== undefined) object.spec.nodeName = nodeName;
    assert.equal(kind.gracePeriodSeconds?.(object), seconds);
  });
}

test("a binding gives a pod its node, an update does not", () => {
  const old = stored();
  const bound = structuredClone(old);
  bound.spec.nodeName = "n1";
  assert.deepEqual(update(kind, structuredClone(bound), { old, subresource: "binding" }), []);
  const fields = update(kind, bound, { old }).map(({ field }) => field);
  assert.deepEqual(fields, ["spec"]);
});

test("containers for looking around are added through their own path, and stay", () => {
  const subresource = "ephemeralcontainers";
  const debug = { name: "debug", image: "busybox:1" };
  const old = stored();
  const first = structuredClone(old);
  first.spec.ephemeralContainers = [{ ...debug }];
  assert.deepEqual(update(kind, first, { old, subresource }), []);
  const changed = structuredClone(first);
  changed.spec.ephemeralContainers = [{ ...debug, image: "busybox:2" }];
  assert.match(
    update(kind, changed, { old: first, subresource })[0]?.detail ?? "",
    /not be changed/,
  );
  const removed = structuredClone(first);
  delete removed.spec.ephemeralContainers;
  assert.match(update(kind, removed, { old: first, subresource })[0]?.detail ?? "", /be removed/);
  const strange = structuredClone(old);
  strange.spec.ephemeralContainers = [
    { ...debug, ports: [{ containerPort: 1 }], targetContainerName: "none" },
  ];
  const fields = update(kind, strange, { old, subresource }).map(({ field }) => field);
  assert.deepEqual(fields, [
    "spec.ephemeralContainers[0].targetContainerName",
    "spec.ephemeralContainers[0].ports",
  ]);
});

const priorityCases: readonly { spec: object; refused: string[] }[] = [
  { spec: { priority: 0, preemptionPolicy: "PreemptLowerPriority" as const }, refused: [] },
  { spec: { priority: 7 }, refused: ["spec.priority"] },
  { spec: { priority: 2_000_001_000, priorityClassName: "system-node-critical" }, refused: [] },
  { spec: { preemptionPolicy: "Never" as const }, refused: ["spec.preemptionPolicy"] },
  { spec: { priorityClassName: "Not Ok" }, refused: ["spec.priorityClassName"] },
  { spec: { runtimeClassName: "Not Ok" }, refused: ["spec.runtimeClassName"] },
];

for (const { spec, refused } of priorityCases) {
  test(`a new pod with ${JSON.stringify(spec)}`, () => {
    const object: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: { containers: [{ name: "web", image: "x" }], ...spec },
    };
    const errors = create(kind, object);
    assert.deepEqual(
      errors.map(({ field }) => field),
      refused,
    );
  });
}
