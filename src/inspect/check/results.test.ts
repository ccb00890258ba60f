import assert from "node:assert/strict";
import { test } from "node:test";
import type { Way } from "./plan.ts";
import { reportText } from "./report.ts";
import { absent, judge, type Question, questionsOf, reportOf, wordsOf } from "./results.ts";
import type { Target } from "./targets.ts";

const from = { kind: "pod", node: "node-1", pod: "client-1", container: "echo" } as const;
const target: Target = {
  host: "fd00::2",
  ports: { http: 80, udp: 81 },
  answeredBy: "server-2",
  seenAs: "fd00::1",
};
const way: Way = {
  kind: "pod",
  from,
  to: "pod on node-2",
  reach: (family) => (family === "IPv6" ? target : undefined),
};
const question: Question = { way, family: "IPv6", protocol: "http", target };

function said(client: string, pod = "server-2") {
  const stdout = JSON.stringify({ client: { address: client }, pod: { name: pod } });
  return { exitCode: 0, stdout, stderr: "" };
}

test("[E2E-1] a way is asked by every protocol of every family", () => {
  const asked = questionsOf([way], ["IPv4", "IPv6"]);
  assert.deepEqual(
    asked.map(({ family, protocol, target: found }) => [family, protocol, found?.host]),
    [
      ["IPv4", "http", undefined],
      ["IPv4", "udp", undefined],
      ["IPv6", "http", "fd00::2"],
      ["IPv6", "udp", "fd00::2"],
    ],
  );
});

test("addresses of IPv6 are asked in brackets, each protocol at its port", () => {
  const words = (protocol: "http" | "udp") => wordsOf(target, { protocol, timeoutMs: 500 });
  assert.deepEqual(words("http"), ["get", "http://[fd00::2]:80/", "--timeout=500ms"]);
  assert.deepEqual(words("udp"), ["udp", "[fd00::2]:81", "hello", "--timeout=500ms"]);
});

test("[E2E-1] the right answer passes, however the address is written", () => {
  const { verdict, seenAs, answeredBy } = judge(question, said("FD00:0::1"));
  assert.deepEqual([verdict, seenAs, answeredBy], ["passed", "FD00:0::1", "server-2"]);
});

const wrong: [name: string, output: ReturnType<typeof said>, detail: RegExp][] = [
  ["no answer", { exitCode: 1, stdout: "", stderr: "error: no answer\n" }, /^no answer$/],
  ["an answer of another pod", said("fd00::1", "other"), /other answered instead of server-2/],
  ["a translated sender", said("fd00::9"), /saw fd00::9 instead of fd00::1: somebody translates/],
  ["the other family", said("10.0.0.1"), /asked from 10.0.0.1, which is not IPv6/],
  ["an answer of a stranger", { exitCode: 0, stdout: "<html>", stderr: "" }, /somebody else/],
  ["an error of the server", { exitCode: 1, stdout: "not ready", stderr: "" }, /1: not ready/],
];
for (const [name, output, detail] of wrong) {
  test(`[E2E-1] ${name} fails`, () => {
    const result = judge(question, output);
    assert.equal(result.verdict, "failed");
    assert.match(result.detail ?? "", detail);
  });
}

test("what has no address is skipped, unless somebody asked for it", () => {
  const missing: Question = { way, family: "IPv4", protocol: "udp", target: undefined };
  assert.equal(absent(missing).verdict, "skipped");
  assert.equal(absent({ ...missing, way: { ...way, isDemanded: true } }).verdict, "failed");
});

test("[E2E-1] the grid has a line for each way, and a failure says what to look at", () => {
  const failure = judge(question, said("fd00::9"));
  const skipped = absent({ way, family: "IPv4", protocol: "http", target: undefined });
  const head = { families: ["IPv4", "IPv6"], nodes: [], namespace: "mine" } as const;
  const text = reportText(reportOf([skipped, failure], { ...head, isKept: true }));
  assert.match(text, /^pod on node-1 +pod on node-2 +- +- +FAILED +-$/m);
  assert.match(text, /^Skipped: pod on node-2, IPv4: it has no address of IPv4$/m);
  assert.match(text, /^Failed: pod on node-1 to pod on node-2, IPv6, http: the receiver saw/m);
  const trace = "  tandem trace pod/mine/client-1 '[fd00::2]:80' --family IPv6 --protocol tcp\n";
  assert.ok(text.includes(trace));
  assert.match(text, /'kubectl delete namespace mine' removes them/);
  assert.match(text, /^0 passed, 1 failed, 1 skipped\.$/m);
  const gone = reportText(reportOf([failure], { ...head, isKept: false }));
  assert.ok(!gone.includes("tandem trace pod/"));
  assert.match(gone, /'tandem check --keep' leaves the pods there/);
});
