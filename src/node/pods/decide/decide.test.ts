import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { podOf } from "../testing/pod.ts";
import { ended, running, start, viewOf } from "../testing/view.ts";
import { type Action, decide } from "./decide.ts";
import { slotsOf } from "./slots.ts";
import { type PodView, untouched } from "./view.ts";

function texts(actions: readonly Action[]): string[] {
  return actions.map((action) =>
    "slot" in action ? `${action.type} ${action.slot.name}` : action.type,
  );
}

const does = (view: PodView, now = start) => texts(decide(view, now).actions);

test("the sandbox comes first, then the volumes, then containers", () => {
  const absent = { state: "absent" } as const;
  assert.deepEqual(does(viewOf(podOf("web"), {}, { sandbox: absent, volumes: absent })), [
    "make-sandbox",
  ]);
  assert.deepEqual(does(viewOf(podOf("web"), {}, { volumes: absent })), ["make-volumes"]);
  assert.deepEqual(does(viewOf()), ["start main"]);
});

test("what failed is tried again when its time has come", () => {
  const failure = { reason: "FailedMount", message: "", retryAt: start + 1_000, count: 1 };
  const view = viewOf(podOf("web"), {}, { volumes: { state: "absent", failure } });
  assert.deepEqual(decide(view, start), { actions: [], againAt: start + 1_000 });
  assert.deepEqual(does(view, start + 1_000), ["make-volumes"]);
});

test("a sidecar is up before the others begin, and ends after them", () => {
  const initContainers = [{ name: "side", restartPolicy: "Always" }, { name: "init" }];
  const pod = podOf("web", { spec: { initContainers } });
  assert.deepEqual(does(viewOf(pod)), ["start side"]);
  assert.deepEqual(does(viewOf(pod, { side: { ...running("side"), isStarted: false } })), []);
  assert.deepEqual(does(viewOf(pod, { side: running("side") })), ["start init"]);
  const all = { side: running("side"), init: ended("init", 0) };
  assert.deepEqual(does(viewOf(pod, all)), ["start main"]);
  const gone = { isGone: true };
  assert.deepEqual(does(viewOf(pod, { ...all, main: running("main") }, gone)), ["stop main"]);
  assert.deepEqual(does(viewOf(pod, { ...all, main: ended("main", 143) }, gone)), ["stop side"]);
});

test("restarts wait longer and longer", () => {
  for (const [crashes, seconds] of [
    [1, 0],
    [2, 10],
    [3, 20],
    [4, 40],
    [20, 300],
  ] as const) {
    const view = viewOf(podOf("web"), { main: ended("main", 1, crashes) });
    const due = start + 1000 * seconds;
    assert.deepEqual(does(view, due), ["start main"]);
    if (seconds > 0) assert.deepEqual(decide(view, due - 1), { actions: [], againAt: due });
  }
});

test("a pod that took too long fails", () => {
  const pod = podOf("web", { spec: { activeDeadlineSeconds: 60 } });
  const view = viewOf(pod, { main: running("main") });
  assert.deepEqual(decide(view, start), { actions: [], againAt: start + 60_000 });
  assert.deepEqual(does(view, start + 60_000), ["stop main"]);
});

test("what is being started when the pod ends is abandoned", () => {
  const view = viewOf(podOf("web"), { main: { ...untouched, isStarting: true } }, { isGone: true });
  assert.deepEqual(does(view), ["abandon main"]);
});

test("a shorter grace period kills containers of a pod that is being deleted already", () => {
  const metadata = { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 };
  const stopping = { since: start, isKilled: false };
  const containers = { main: { ...running("main"), stopping } };
  const patient = viewOf(podOf("web", { metadata }), containers);
  assert.deepEqual(decide(patient, start + 1), { actions: [], againAt: start + 30_000 });
  const hurried = podOf("web", { metadata: { ...metadata, deletionGracePeriodSeconds: 1 } });
  assert.deepEqual(does(viewOf(hurried, containers), start + 1_000), ["kill main"]);
});

test("a container that failed a probe is ended with the probe's grace", () => {
  const verdict = { message: "failed", graceSeconds: 5 };
  const { actions } = decide(
    viewOf(podOf("web"), { main: { ...running("main"), verdict } }),
    start,
  );
  assert.equal(actions[0]?.type === "stop" && actions[0].graceSeconds, 5);
});

const anyContainer = (name: string) =>
  fc.oneof(
    fc.constant(untouched),
    fc.constant({ ...untouched, isStarting: true }),
    fc.boolean().map((isStarted) => ({ ...running(name), isStarted })),
    fc
      .record({ code: fc.constantFrom(0, 1), crashes: fc.nat(5) })
      .map(({ code, crashes }) => ended(name, code, crashes)),
    fc.constant({ ...running(name), stopping: { since: start, isKilled: true } }),
  );

test("whatever the state, nothing is started twice, nor while the pod ends", () => {
  const names = ["init", "side", "main", "other"];
  const pods = fc.record({
    restartPolicy: fc.constantFrom("Always", "OnFailure", "Never"),
    isDeleted: fc.boolean(),
    containers: fc.tuple(...names.map(anyContainer)),
    now: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(pods, ({ restartPolicy, isDeleted, containers, now }) => {
      const pod = podOf("web", {
        spec: {
          restartPolicy,
          initContainers: [{ name: "init" }, { name: "side", restartPolicy: "Always" }],
          containers: [{ name: "main" }, { name: "other" }],
        },
        metadata: isDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {},
      });
      const views = Object.fromEntries(
        names.map((name, index) => [name, containers[index] ?? untouched]),
      );
      const view = viewOf(pod, views);
      const { actions, againAt } = decide(view, start + now);
      assert.ok(againAt === undefined || againAt > start + now);
      for (const action of actions) {
        if (action.type !== "start") continue;
        assert.equal(isDeleted, false);
        const { current, isStarting } = views[action.slot.name] ?? untouched;
        assert.ok(!isStarting && current?.status !== "running");
        const isInit = slotsOf(pod.spec).findIndex(({ name }) => name === action.slot.name) < 2;
        if (!isInit) assert.equal(views["init"]?.current?.exitCode, 0);
      }
    }),
  );
});
