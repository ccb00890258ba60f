// What touches the outside (files, processes, sockets, threads) is named `*.system.ts`, or is a program or a
// command. Decision 0102 says why, and what stands in the list of exceptions.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Imports, importsOf, isTestSupport, readImports, roomOf } from "./imports.ts";

/** The modules of Node by which a program touches the outside. */
const effects =
  /^(?:fs|fs\/promises|child_process|net|dgram|tls|http|https|http2|dns|dns\/promises|worker_threads)$/;

/** Names of these modules that touch nothing: tables, checks of texts, classes to compare with. */
const harmless = ["STATUS_CODES", "isIP", "isIPv4", "isIPv6", "TLSSocket"];

/** Files that touch the outside under another name, by the reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  "the first file of a program": [
    "src/inspect/echo/program.ts",
    "src/node/ipam/plugin.ts",
    "src/control/apiserver/heavy/thread.ts",
  ],
  "one HTTP server and its answers, which are read together": [
    "src/control/apiserver/listen.ts",
    "src/edge/balancer/announce/peers.ts",
    "src/inspect/dashboard/server/serve.ts",
    "src/install/service/http/server.ts",
    "src/node/kubelet-api/server.ts",
    "src/node/proxy/serve/health-checks.ts",
    "src/node/proxy/serve/status-server.ts",
  ],
  "HTTP and TLS over connections that are passed in": [
    "src/control/apiserver/aggregation/answer-remotely.ts",
    "src/control/apiserver/aggregation/remote-api.ts",
    "src/control/apiserver/streaming/destination.ts",
    "src/control/apiserver/streaming/node-summary.ts",
    "src/control/apiserver/streaming/nodes.ts",
    "src/control/apiserver/streaming/proxy.ts",
    "src/control/apiserver/streaming/reach.ts",
    "src/control/apiserver/streaming/webhook-client.ts",
  ],
  "one connection, and the check of who is at its other end": [
    "src/edge/ingress/runtime/nginx.ts",
    "src/node/join/authority.ts",
    "src/node/kubelet-api/dial.ts",
  ],
  "answers between threads": ["src/control/apiserver/heavy/remote-objects.ts"],
};

/** Names of files and folders that decide: they get time, randomness and facts passed in. */
const deciding =
  /\/(?:plan|decide|allocation|allocator|render|scheduler|filters|scores)(?:\/|[^/]*\.ts$)/;

const production = globSync("src/**/*.ts").filter((file) => !isTestSupport(file));
const isOutside = (file: string) =>
  file.endsWith(".system.ts") || /^src\/(?:programs|cli)\//.test(file);
const using = (pattern: RegExp) =>
  production.filter((file) => pattern.test(readFileSync(file, "utf8"))).toSorted();

/** Returns the modules of Node that a text imports values of, in either form of import. */
function touched(text: string): readonly string[] {
  const statements = /^import (?!type\b)(\{[^}]*\}|[^{}"';]+) from "node:([^"]+)"/gm;
  const dynamic = /\bimport\("node:([^"]+)"\)/g;
  const found = [...text.matchAll(statements)].flatMap(([, names = "", module = ""]) => {
    const values = names
      .replaceAll(/[{}]/g, "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type ") && !harmless.includes(name));
    return values.length > 0 ? [module] : [];
  });
  const late = [...text.matchAll(dynamic)].map(([, module = ""]) => module);
  return [...found, ...late].filter((module) => effects.test(module));
}

test("imports of values from node:fs and its like are seen, of types and of tables are not", () => {
  assert.deepEqual(touched('import { readFile } from "node:fs/promises";'), ["fs/promises"]);
  assert.deepEqual(touched('import {\n  type Stats,\n  stat,\n} from "node:fs";'), ["fs"]);
  assert.deepEqual(touched('import fs from "node:fs";'), ["fs"]);
  assert.deepEqual(touched('const { spawn } = await import("node:child_process");'), [
    "child_process",
  ]);
  assert.deepEqual(touched('import type { Socket } from "node:net";'), []);
  assert.deepEqual(touched('import { type Server, isIP } from "node:net";'), []);
});

test("files, processes, sockets and threads are touched in *.system.ts, programs, commands and listed files", () => {
  const found = production.filter(
    (file) => !isOutside(file) && touched(readFileSync(file, "utf8")).length > 0,
  );
  assert.deepEqual(found.toSorted(), Object.values(exceptions).flat().toSorted());
});

test("Math.random is used by the port for randomness alone", () => {
  assert.deepEqual(using(/Math\.random\b/), ["src/base/host/random.system.ts"]);
});

test("plans, decisions and allocations use no clock, timer or randomness of their own", () => {
  const own =
    /\brandom(?:UUID|Int|Bytes)\b|Math\.random|\bDate\.now\b|new Date\(\)|performance\.now|\bset(?:Timeout|Interval|Immediate)\(/;
  assert.deepEqual(
    using(own).filter((file) => deciding.test(file) && !isOutside(file)),
    [],
  );
});

test("plans, decisions and allocations reach no file of their component that touches the outside", () => {
  const values: Imports = Object.fromEntries(
    Object.keys(readImports()).map((file) => [file, importsOf(file, withoutTypes(file))]),
  );
  const found = production
    .filter((file) => deciding.test(file) && !isOutside(file))
    .flatMap((file) => wayToOutside(file, values) ?? []);
  assert.deepEqual(found, []);
});

function withoutTypes(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/^(?:import|export) type\b[^;]*;/gm, "");
}

/** Returns the shortest way by imports within a component from a file to one that touches the outside. */
function wayToOutside(from: string, imports: Imports): string | undefined {
  const room = roomOf(from)?.name;
  const ways = new Map([[from, from]]);
  for (const [file, way] of ways) {
    if (isOutside(file) || touched(readFileSync(file, "utf8")).length > 0) return way;
    for (const next of imports[file] ?? []) {
      if (roomOf(next)?.name === room && !ways.has(next)) ways.set(next, `${way} → ${next}`);
    }
  }
  return undefined;
}
