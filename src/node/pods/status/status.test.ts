import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pod, PodStatus } from "../../../api/types/core.ts";
import { type PodView, untouched } from "../decide/view.ts";
import { podOf } from "../testing/pod.ts";
import { ended, running, start, viewOf } from "../testing/view.ts";
import { statusPatch } from "./patch.ts";
import { statusOf } from "./status.ts";

const told = (view: PodView, now = start) =>
  statusOf(view, { hostIPs: [{ ip: "192.0.2.1" }], now });

/** Formats a condition, such as `Ready=False PodCompleted`. */
function condition({ conditions = [] }: PodStatus, type: string): string {
  const found = conditions.find((each) => each.type === type);
  return [`${type}=${found?.status}`, ...(found?.reason === undefined ? [] : [found.reason])].join(
    " ",
  );
}

describe("the phase of a pod", () => {
  const never = podOf("web", { spec: { restartPolicy: "Never" as const } });
  const deleted = podOf("web", { metadata: { deletionTimestamp: "2026-01-01T00:00:30Z" } });
  const cases: readonly (readonly [string, PodView, string])[] = [
    ["nothing has begun", viewOf(), "Pending"],
    ["everything runs", viewOf(podOf("web"), { main: running("main") }), "Running"],
    ["it begins again", viewOf(podOf("web"), { main: ended("main", 1, 3) }), "Running"],
    ["it ended well", viewOf(never, { main: ended("main", 0) }), "Succeeded"],
    ["it ended badly", viewOf(never, { main: ended("main", 1) }), "Failed"],
    ["it is deleted and runs", viewOf(deleted, { main: running("main") }), "Running"],
    ["it is deleted and ended well", viewOf(deleted, { main: ended("main", 0) }), "Succeeded"],
    ["it is deleted and was killed", viewOf(deleted, { main: ended("main", 137) }), "Failed"],
    ["it is deleted and never began", viewOf(deleted), "Pending"],
  ];
  for (const [title, view, phase] of cases) {
    test(`when ${title}: ${phase}`, () => assert.equal(told(view).phase, phase));
  }

  test("when time is up: Failed, with the reason", () => {
    const pod = podOf("web", { spec: { activeDeadlineSeconds: 1 } });
    const { phase, reason } = told(viewOf(pod, { main: ended("main", 137) }), start + 1_000);
    assert.deepEqual([phase, reason], ["Failed", "DeadlineExceeded"]);
  });
});

describe("what is said of containers", () => {
  const [state, last] = ["state", "lastState"] as const;
  const main = (view: PodView, now = start) => told(view, now).containerStatuses?.[0];

  test("before they begin: PodInitializing behind init containers, else ContainerCreating", () => {
    const pod = podOf("web", { spec: { initContainers: [{ name: "init" }] } });
    assert.equal(main(viewOf(pod))?.[state]?.waiting?.reason, "PodInitializing");
    assert.equal(
      told(viewOf(pod)).initContainerStatuses?.[0]?.state?.waiting?.reason,
      "ContainerCreating",
    );
    assert.equal(main(viewOf())?.[state]?.waiting?.reason, "ContainerCreating");
  });

  test("while they are held back: CrashLoopBackOff, with the delay and the last exit code", () => {
    const status = main(viewOf(podOf("web"), { main: ended("main", 3, 3) }));
    assert.equal(status?.[state]?.waiting?.reason, "CrashLoopBackOff");
    assert.match(
      status?.[state]?.waiting?.message ?? "",
      /^back-off 20s restarting failed container=main/,
    );
    assert.equal(status?.[last]?.terminated?.exitCode, 3);
  });

  test("when they could not be started", () => {
    const failure = { reason: "ErrImagePull", message: "none", retryAt: start + 10, count: 1 };
    const waiting = (count: number) =>
      main(viewOf(podOf("web"), { main: { ...untouched, failure: { ...failure, count } } }))?.[
        state
      ]?.waiting?.reason;
    assert.equal(waiting(1), "ErrImagePull");
    assert.equal(waiting(2), "ImagePullBackOff");
  });

  test("why they ended: Error, OOMKilled or ContainerStatusUnknown", () => {
    const never = podOf("web", { spec: { restartPolicy: "Never" as const } });
    const reason = (parts: object) => {
      const view = ended("main", 137);
      const current = { ...view.current, ...parts } as NonNullable<typeof view.current>;
      return main(viewOf(never, { main: { ...view, current } }))?.[state]?.terminated?.reason;
    };
    assert.equal(reason({}), "Error");
    assert.equal(reason({ outOfMemory: true }), "OOMKilled");
    assert.equal(reason({ logPath: "" }), "ContainerStatusUnknown");
    assert.equal(reason({ exitCode: 0 }), "Completed");
  });
});

describe("the conditions of a pod", () => {
  const up = { main: running("main") };

  test("when all is well, and when not", () => {
    const well = told(viewOf(podOf("web"), up));
    for (const type of ["PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"]) {
      assert.equal(condition(well, type), `${type}=True`);
    }
    const unready = told(viewOf(podOf("web"), { main: { ...running("main"), isReady: false } }));
    assert.equal(condition(unready, "Ready"), "Ready=False ContainersNotReady");
    const never = podOf("web", { spec: { restartPolicy: "Never" as const } });
    assert.equal(
      condition(told(viewOf(never, { main: ended("main", 0) })), "Ready"),
      "Ready=False PodCompleted",
    );
  });

  test("a readiness gate that is False keeps the pod from Ready, but its containers are", () => {
    const readinessGates = [{ conditionType: "example.com/lit" }];
    const gated = (status: string) => {
      const conditions = [{ type: "example.com/lit", status }];
      return told(viewOf(podOf("web", { spec: { readinessGates }, status: { conditions } }), up));
    };
    assert.equal(condition(gated("False"), "Ready"), "Ready=False ReadinessGatesNotReady");
    assert.equal(condition(gated("False"), "ContainersReady"), "ContainersReady=True");
    assert.equal(condition(gated("True"), "Ready"), "Ready=True");
  });

  test("keep the time of their last change", () => {
    const first = told(viewOf(podOf("web"), up));
    const later = told(viewOf(podOf("web", { status: first }), up), start + 60_000);
    assert.deepEqual(later.conditions, first.conditions);
  });
});

describe("the patch of a status", () => {
  const pod = (status: PodStatus): Pod => podOf("web", { status });
  const status = told(
    viewOf(podOf("web"), { main: running("main") }, { podIPs: [{ ip: "fd00::1" }] }),
  );

  test("is none when nothing changes, whatever others say", () => {
    const conditions = [...(status.conditions ?? []), { type: "PodScheduled", status: "True" }];
    assert.equal(statusPatch(pod({ ...status, conditions }), status), undefined);
  });

  test("holds what changes, for this pod only", () => {
    const before = {
      ...status,
      phase: "Pending" as const,
      podIPs: [{ ip: "fd00::2" }],
      reason: "Old",
    };
    assert.deepEqual(statusPatch(pod(before), status), {
      metadata: { uid: "uid-web" },
      status: {
        phase: "Running" as const,
        podIPs: [{ ip: "fd00::2", $patch: "delete" }, { ip: "fd00::1" }],
        reason: null,
      },
    });
  });

  test("takes back what conditions said", () => {
    const [first, ...rest] = status.conditions ?? [];
    const before = { type: first?.type ?? "", status: "False", reason: "Old", message: "old" };
    assert.deepEqual(statusPatch(pod({ ...status, conditions: [before, ...rest] }), status), {
      metadata: { uid: "uid-web" },
      status: { conditions: [{ reason: null, message: null, ...first }] },
    });
  });
});
