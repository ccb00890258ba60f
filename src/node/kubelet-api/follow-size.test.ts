import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { createLog } from "../../base/program/log.ts";
import type { TerminalSize } from "../../base/streaming/remote-command-types.ts";
import { followSize } from "./follow-size.ts";

test("sizes are set one after the other, and only the latest of those that wait", async () => {
  const { tell, set, finish } = scene();
  tell(80);
  tell(90);
  tell(100);
  assert.deepEqual(set, [80]);
  await finish();
  assert.deepEqual(set, [80, 100]);
  await finish();
  tell(70);
  assert.deepEqual(set, [80, 100, 70]);
});

test("a size that cannot be set is told in the log, and the next one is tried", async () => {
  const { tell, set, finish, lines } = scene();
  tell(80);
  await finish(new Error("no such terminal"));
  assert.match(lines.join(""), /Cannot set the size of a terminal.*80.*no such terminal/s);
  tell(90);
  assert.deepEqual(set, [80, 90]);
});

function scene() {
  const lines: string[] = [];
  const log = createLog({ format: "text", level: "info", write: (line) => lines.push(line) });
  const set: number[] = [];
  let listener: (size: TerminalSize) => void = () => undefined;
  let pending = Promise.withResolvers<void>();
  const resize = ({ columns }: { columns: number }) => {
    set.push(columns);
    pending = Promise.withResolvers();
    return pending.promise;
  };
  followSize({ onResize: (hear) => (listener = hear) }, { resize }, log);
  return {
    lines,
    set,
    tell: (width: number) => listener({ width, height: 24 }),
    finish: async (error?: Error) => {
      if (error === undefined) pending.resolve();
      else pending.reject(error);
      await settled();
    },
  };
}
