import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Pod } from "../../../api/types/core.ts";
import { podOf } from "../testing/pod.ts";
import { Allocation } from "./allocation.ts";
import { type Amounts, cgroupResources, changedResources, needsRestart } from "./resources.ts";

const cpu = (amount: string) => ({ requests: { cpu: amount } });
const podWith = (amount: string): Pod => podOf("web", { container: { resources: cpu(amount) } });
const cores = (count: number): Amounts => ({ cpu: BigInt(count) * 1_000_000_000n, memory: 0n });
const room = (allocatable: string, ...others: Amounts[]) => ({
  allocatable: { cpu: allocatable },
  others: () => others,
});

describe("[API-16] a resize", () => {
  test("is granted when there is room", () => {
    const allocation = Allocation.of(podWith("1"));
    allocation.consider(podWith("2"), room("4", cores(2)));
    assert.equal(allocation.pending, undefined);
    assert.deepEqual(allocation.of("main"), cpu("2"));
  });

  test("waits for other pods to leave", () => {
    const allocation = Allocation.of(podWith("1"));
    allocation.consider(podWith("2"), room("4", cores(3)));
    assert.equal(allocation.pending?.reason, "Deferred");
    assert.deepEqual(allocation.of("main"), cpu("1"));
    allocation.consider(podWith("2"), room("4"));
    assert.equal(allocation.pending, undefined);
    assert.deepEqual(allocation.of("main"), cpu("2"));
  });

  test("is never granted beyond what the node has", () => {
    const allocation = Allocation.of(podWith("1"));
    allocation.consider(podWith("5"), room("4"));
    assert.deepEqual(allocation.pending, {
      reason: "Infeasible",
      message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000",
    });
    allocation.consider(podWith("1"), room("4"));
    assert.equal(allocation.pending, undefined);
  });

  test("to less is granted on a node that is too full", () => {
    const allocation = Allocation.of(podWith("3"));
    allocation.consider(podWith("2"), room("4", cores(9)));
    assert.deepEqual([allocation.pending, allocation.of("main")], [undefined, cpu("2")]);
  });

  test("never lets pods have more than the node, in any order", () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(amounts, amounts, (first, second) => {
        const [one, two] = [Allocation.of(podWith("0")), Allocation.of(podWith("0"))];
        const had = (allocation: Allocation) => allocation.requested(podWith("0"));
        for (const [index, wanted] of first.entries()) {
          one.consider(podWith(`${wanted}`), room("8", had(two)));
          two.consider(podWith(`${second[index] ?? 0}`), room("8", had(one)));
          assert.ok(had(one).cpu + had(two).cpu <= cores(8).cpu);
        }
      }),
    );
  });

  test("of an earlier agent stays as that agent told it", () => {
    const told = {
      name: "main",
      image: "",
      imageID: "",
      ready: true,
      restartCount: 0,
      resources: cpu("1"),
      state: { running: {} },
    };
    const pod: Pod = { ...podWith("2"), status: { containerStatuses: [told] } };
    assert.deepEqual(Allocation.of(pod).of("main"), cpu("1"));
  });
});

test("the same amounts in other words are no change", () => {
  assert.deepEqual(changedResources(cpu("1"), cpu("1000m")), []);
  assert.deepEqual(changedResources(cpu("1"), cpu("2")), ["cpu"]);
  assert.deepEqual(changedResources({}, { limits: { memory: "1" } }), ["memory"]);
});

test("a container restarts if its policy for a changed resource says so", () => {
  const resizePolicy = [{ resourceName: "memory", restartPolicy: "RestartContainer" }];
  assert.equal(needsRestart({ resizePolicy }, ["cpu"]), false);
  assert.equal(needsRestart({ resizePolicy }, ["cpu", "memory"]), true);
});

test("a request is a share of processors, a limit is a bound", () => {
  const resources = { requests: { cpu: "20m", memory: "1Mi" }, limits: { memory: "2Mi" } };
  assert.deepEqual(cgroupResources(resources), { cpuRequestMillis: 20, memoryBytes: 2 ** 21 });
  assert.deepEqual(cgroupResources({ limits: { cpu: "1" } }), {
    cpuRequestMillis: 1000,
    cpuMillis: 1000,
  });
});
