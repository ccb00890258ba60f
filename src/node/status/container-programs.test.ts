import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { watchContainerPrograms } from "./container-programs.ts";
import { Readiness } from "./readiness.ts";

test("a node is ready for containers while their programs are there", async () => {
  const clock = new FakeClock();
  const readiness = new Readiness(["containers"], () => undefined);
  let lack: string | undefined = "runc is missing";
  const check = () => (lack === undefined ? Promise.resolve() : Promise.reject(new Error(lack)));
  const watch = watchContainerPrograms({ readiness, clock, check });
  let isReady = false;
  void watch.ready.then(() => (isReady = true));
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  await clock.advance(0);
  assert.deepEqual(readiness.missing, ["runc is missing"]);
  lack = undefined;
  await clock.advance(1_000);
  assert.deepEqual([readiness.missing, isReady], [[], true]);
  lack = "conmon is missing";
  await clock.advance(10_000);
  assert.deepEqual(readiness.missing, ["conmon is missing"]);
  stop.abort();
  await running;
});
