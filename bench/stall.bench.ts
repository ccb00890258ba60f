// What one client can do to all others: the longest turn of the server's thread, in CPU time, while the
// worst requests and fuzzed ones are worked off, and how long a small request takes meanwhile.
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestServer } from "../test/fixtures/server.ts";
import { Crowd, prepareCrowd, senders, tokenFile } from "../test/security/crowd.ts";
import { fuzz, removeFuzzed } from "../test/security/fuzz.ts";
import { fuzzedNamespace } from "../test/security/fuzz-requests.ts";
import { worstKinds } from "../test/security/worst-requests.ts";
import { type Benchmark, type Case, type Figures, lower } from "./harness.ts";

/** Full size, one after the other; and a thirtieth of it, from ten users at once. */
const loads = [
  {
    name: "24 worst requests of one user, one after the other",
    scale: 1,
    each: 24,
    atOnce: 1,
    users: 1,
  },
  {
    name: "10,000 worst requests of ten users at once",
    scale: 1 / 30,
    each: 1000,
    atOnce: 16,
    users: 10,
  },
];

export default {
  title: "Stalls of the API server",
  groups: () => [
    ...loads.map(({ name, ...load }) => ({ name, cases: { embedded: caseOf(load) } })),
    {
      name: "100,000 fuzzed requests in all formats (a million in make soak)",
      cases: { embedded: fuzzing(100_000) },
    },
  ],
} satisfies Benchmark;

function caseOf(load: Omit<(typeof loads)[number], "name">): Case {
  return async (scope) => {
    const tokens = join(tmpdir(), `stall-bench-${process.pid}`);
    await writeFile(tokens, tokenFile(), { mode: 0o600 });
    const server = scope.use(await TestServer.start({ arguments: [`--token-file=${tokens}`] }));
    await prepareCrowd(server);
    return () => measure(server, load);
  };
}

function fuzzing(requests: number): Case {
  return async (scope) => {
    const server = scope.use(await TestServer.start({ arguments: ["--controllers="] }));
    await server.call("POST", "/api/v1/namespaces", { metadata: { name: fuzzedNamespace } });
    let seed = 1;
    return async () => {
      const { codes } = await fuzz(server, requests, seed++);
      await removeFuzzed(server);
      return { ...(await longestTurn(server)), ...answersOf500(codes) };
    };
  };
}

async function measure(
  server: TestServer,
  { scale, each, atOnce, users }: Omit<(typeof loads)[number], "name">,
): Promise<Figures> {
  const waits: number[] = [];
  const stop = new AbortController();
  const asking = askOften(server, waits, stop.signal);
  const crowd = new Crowd(server, senders.slice(0, users));
  await crowd.send(worstKinds(scale), { each, atOnce });
  stop.abort();
  await asking;
  waits.sort((a, b) => a - b);
  return {
    ...(await longestTurn(server)),
    "p99 of a small request": lower(waits[Math.floor(waits.length * 0.99)] ?? 0, "ms"),
    ...answersOf500(crowd.codes),
  };
}

async function longestTurn(server: TestServer): Promise<Figures> {
  const { text } = await server.send("GET", "/metrics");
  const seconds = Number(/^apiserver_longest_turn_seconds (\S+)/m.exec(text)?.[1]);
  return { "longest turn": lower(seconds * 1000, "ms") };
}

function answersOf500(codes: ReadonlyMap<number, number>): Figures {
  // 504 is the answer to a timeout that the request itself asks for.
  const faults = [...codes].filter(([code]) => (code >= 500 && code !== 504) || code === 0);
  const count = faults.reduce((sum, [, each]) => sum + each, 0);
  return { "answers of 500": lower(count, "") };
}

/** As the administrator, whom nobody makes wait. */
async function askOften(server: TestServer, waits: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    await server.call("GET", "/api/v1/namespaces/default");
    waits.push(performance.now() - started);
  }
}
