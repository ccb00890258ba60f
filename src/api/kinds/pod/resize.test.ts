import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Container, Pod, PodStatus, ResourceRequirements } from "../../types/core.ts";
import { resizeErrors, resizePolicyErrors, withResizes } from "./resize.ts";

const resources = (cpu: string, memory = "64Mi"): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const one: Container = { name: "one", image: "image", resources: resources("1") };
const two: Container = { name: "two", image: "image", resources: resources("2") };

function podWith(containers: Container[], fields: Partial<Pod["spec"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "web" },
    spec: { containers, ...fields },
    status: {},
  };
}

const details = (now: Pod, old: Pod) => resizeErrors(now, old).map(({ detail }) => detail);

describe("[API-16] the resize of a pod", () => {
  test("takes over requests, limits and policies, and nothing else", () => {
    const stored = podWith([one, two], { nodeName: "node-a" });
    const given = podWith(
      [
        { ...one, image: "other", resources: resources("3") },
        { name: "two", resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] },
      ],
      { nodeName: "node-b" },
    );
    const { resources: _, ...bare } = two;
    assert.deepEqual(withResizes(stored.spec, given.spec), {
      containers: [
        { ...one, resources: resources("3") },
        { ...bare, ...given.spec.containers[1] },
      ],
      nodeName: "node-a",
    });
  });

  test("changes processor and memory", () => {
    const old = podWith([one, two]);
    assert.deepEqual(
      details(podWith([{ ...one, resources: resources("3", "1Gi") }, two]), old),
      [],
    );
    assert.deepEqual(details(old, old), []);
  });

  const sidecar: Container = { ...one, name: "side", restartPolicy: "Always" };
  const init: Container = { ...one, name: "init" };
  const cases: readonly (readonly [string, Pod, Pod, RegExp])[] = [
    ["a container more", podWith([one, two]), podWith([one]), /may not be added or removed/],
    ["another order", podWith([two, one]), podWith([one, two]), /renamed or reordered/],
    [
      "a limit less",
      podWith([{ ...one, resources: { requests: { cpu: "1", memory: "64Mi" } } }]),
      podWith([one]),
      /QOS Class may not change|limits cannot be removed/,
    ],
    [
      "another resource",
      podWith([{ ...one, resources: { ...resources("1"), claims: [{ name: "gpu" }] } }]),
      podWith([one]),
      /only cpu and memory/,
    ],
    [
      "another policy",
      podWith([{ ...one, resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }]),
      podWith([one]),
      /only cpu and memory/,
    ],
    [
      "an init container",
      podWith([one], { initContainers: [{ ...init, resources: resources("2") }] }),
      podWith([one], { initContainers: [init] }),
      /non-sidecar init containers are immutable/,
    ],
    [
      "a Windows pod",
      podWith([one]),
      podWith([one], { os: { name: "windows" } }),
      /windows pods cannot be resized/,
    ],
  ];
  for (const [title, now, old, message] of cases) {
    test(`does not take ${title}`, () => assert.match(details(now, old).join(), message));
  }

  test("may change the resources of sidecars", () => {
    const old = podWith([one], { initContainers: [sidecar] });
    const now = podWith([one], { initContainers: [{ ...sidecar, resources: resources("2") }] });
    assert.deepEqual(details(now, old), []);
  });

  test("needs a node that tells what containers have", () => {
    const status: PodStatus = {
      containerStatuses: [
        {
          name: "one",
          image: "",
          imageID: "",
          ready: true,
          restartCount: 0,
          state: { running: {} },
        },
      ],
    };
    const old = { ...podWith([one]), status };
    assert.match(details(podWith([one]), old).join(), /node without support for resize/);
  });

  test("is not for static pods", () => {
    const old = podWith([one]);
    old.metadata.annotations = { "kubernetes.io/config.mirror": "hash" };
    assert.match(details(old, old).join(), /static pods/);
  });
});

test("a resize policy names processor or memory once, and does not restart what never restarts", () => {
  const fields = (policy: NonNullable<Container["resizePolicy"]>, restartPolicy = "Always") =>
    resizePolicyErrors({ resizePolicy: policy }, podWith([], { restartPolicy } as never).spec, "p")
      .map(({ type }) => type)
      .join();
  const restart = { resourceName: "cpu", restartPolicy: "RestartContainer" };
  assert.equal(fields([restart]), "");
  assert.equal(fields([restart, restart]), "FieldValueDuplicate");
  assert.equal(fields([{ ...restart, resourceName: "disk" }]), "FieldValueNotSupported");
  assert.equal(fields([{ ...restart, restartPolicy: "" }]), "FieldValueRequired");
  assert.equal(fields([restart], "Never"), "FieldValueInvalid");
});
