import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Address } from "../net/address.ts";
import { createLog, createStreamLog, type LogSettings } from "./log.ts";

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function recordingLog(settings: Partial<LogSettings> = {}) {
  const lines: string[] = [];
  const log = createLog({ format: "json", now, write: (line) => lines.push(line), ...settings });
  const records = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, records };
}

function failure(): Error {
  const refused = Object.assign(new Error("connect failed"), { code: "ECONNREFUSED" });
  return Object.assign(new Error("Cannot reach the server", { cause: refused }), {
    reason: "Unavailable",
  });
}

describe("JSON lines", () => {
  test("carry time, level, message and fields", () => {
    const { log, lines } = recordingLog();
    log.info("node added", { node: "a", address: Address.parse("fd00::1") });
    assert.deepEqual(lines, [
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"node added","node":"a","address":"fd00::1"}\n',
    ]);
  });

  test("of children carry the bound fields, the nearest winning", () => {
    const { log, records } = recordingLog();
    log.child({ part: "dns", zone: "a" }).child({ zone: "b" }).warn("slow", { ms: 3 });
    const [{ time: _, ...rest } = {}] = records();
    assert.deepEqual(rest, { level: "warn", message: "slow", part: "dns", zone: "b", ms: 3 });
  });

  test("carry errors with reason and causes", () => {
    const { log, records } = recordingLog();
    log.error("sync failed", { error: failure() });
    assert.deepEqual(records()[0]?.["error"], {
      message: "Cannot reach the server",
      reason: "Unavailable",
      causes: ["connect failed (ECONNREFUSED)"],
    });
  });

  test("keep their own names, and survive any value", () => {
    const { log, records } = recordingLog();
    const loop: Record<string, unknown> = { big: 2n ** 70n };
    loop["self"] = loop;
    const shared = { a: 1 };
    log.info("odd", { level: "mine", loop, map: new Map([["k", 1]]), twice: [shared, shared] });
    assert.deepEqual(records()[0], {
      time: "2026-01-02T03:04:05.006Z",
      level: "info",
      message: "odd",
      "field.level": "mine",
      loop: { big: "1180591620717411303424", self: "[circular]" },
      map: { k: 1 },
      twice: [{ a: 1 }, { a: 1 }],
    });
  });
});

describe("text lines", () => {
  const clock = new Date(now()).toTimeString().slice(0, 8);

  test("read like a sentence with fields", () => {
    const { log, lines } = recordingLog({ format: "text" });
    log.warn("list has more", {
      family: "IPv4",
      all: ["a", "b"],
      why: "two words",
      n: 0,
      none: "",
    });
    assert.equal(
      lines[0],
      `${clock}.006 WARN  list has more family=IPv4 all=["a","b"] why="two words" n=0 none=""\n`,
    );
  });

  test("show errors with their causes below", () => {
    const { log, lines } = recordingLog({ format: "text" });
    log.error("sync failed", { node: "a", error: failure() });
    assert.equal(
      lines[0],
      `${clock}.006 ERROR sync failed node=a
    Cannot reach the server (Unavailable)
    because: connect failed (ECONNREFUSED)
`,
    );
  });

  test("cannot be forged by what they report", () => {
    const { log, lines } = recordingLog({ format: "text" });
    log.info("a\nb\x1b[31m", { name: "x\ny" });
    assert.equal(lines[0], `${clock}.006 INFO  a\\nb\\u001b[31m name="x\\ny"\n`);
  });

  test("are coloured only when asked", () => {
    const { log, lines } = recordingLog({ format: "text", colour: true });
    log.error("bad");
    assert.ok(lines[0]?.includes("\x1b[31mERROR\x1b[0m bad"), lines.join());
  });
});

describe("levels", () => {
  test("below the least are not printed", () => {
    const { log, records } = recordingLog({ level: "warn" });
    log.debug("1");
    log.info("2");
    log.warn("3");
    log.child({}).error("4");
    assert.deepEqual(
      records().map((record) => record["message"]),
      ["3", "4"],
    );
    assert.deepEqual([log.isEnabled("info"), log.isEnabled("error")], [false, true]);
  });

  test("of debug add stacks to errors", () => {
    const { log, records } = recordingLog({ level: "debug" });
    log.error("bad", { error: failure() });
    assert.match(JSON.stringify(records()[0]?.["error"]), /log\.test\.ts/);
  });
});

test("the format follows the stream, unless it is set", () => {
  const cases = [
    { isTTY: true, logFormat: "auto", isJson: false },
    { isTTY: false, logFormat: "auto", isJson: true },
    { isTTY: true, logFormat: "json", isJson: true },
    { isTTY: false, logFormat: "text", isJson: false },
  ] as const;
  for (const { isTTY, logFormat, isJson } of cases) {
    let written = "";
    const stream = { isTTY, write: (text: string) => (written += text) };
    createStreamLog(stream, { logLevel: "info", logFormat }).info("hello");
    assert.equal(written.startsWith("{"), isJson);
  }
});
